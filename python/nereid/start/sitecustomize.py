"""Begins what NEREID_RECORD and NEREID_SERVE ask for, where no .pth file of the wheel does: in a program that Nereid's commands
run, and in all that it starts.

Python imports a module of this name when it starts, and this folder is in such programs' PYTHONPATH. The program sees
nothing of that: the folder is taken off the path again, and a module of the same name that this one hides is imported.
"""
import os
import sys

_folder = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [entry for entry in sys.path if not entry or os.path.abspath(entry) != _folder]
if sys.version_info >= (3, 9) and (os.environ.get("NEREID_RECORD") or os.environ.get("NEREID_SERVE")):
    _modules = os.path.dirname(os.path.dirname(_folder))
    sys.path.insert(0, _modules)
    try:
        from nereid import _startup
    finally:
        sys.path.remove(_modules)
    _startup.begin()
del sys.modules["sitecustomize"]
import sitecustomize  # noqa: E402, F401
