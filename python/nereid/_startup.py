"""What NEREID_RECORD and NEREID_SERVE ask for, in any process of Python that has them in its environment.

`begin` is called when Python starts and one of the two is set: by a .pth file of the wheel, or by start/sitecustomize.py,
whose folder is in the PYTHONPATH of programs that Nereid's commands run. Most such processes never import Triton, so
nothing is done before they do.
"""
from __future__ import annotations

import atexit
import importlib.abc
import importlib.machinery
import importlib.util
import os
import site
import subprocess
import sys
from typing import Any, Callable, List, MutableMapping, Optional, Sequence


class _Waiting(importlib.abc.MetaPathFinder):
    """Calls something once a package was imported, with all that it imports itself."""

    def __init__(self, name: str, then: Callable[[], None]) -> None:
        self.name, self.then = name, then

    def find_spec(self, fullname: str, path: Optional[Sequence[str]], target: Any = None) -> Any:
        if fullname != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is None or spec.loader is None:
            return None
        loader: Any = spec.loader
        execute = loader.exec_module

        def exec_module(module: Any) -> None:
            execute(module)
            self.then()

        loader.exec_module = exec_module
        return spec


def when_imported(name: str, then: Callable[[], None]) -> None:
    """Calls something behind the import of a module, or now if that is there."""
    if name in sys.modules:
        then()
    else:
        sys.meta_path.insert(0, _Waiting(name, then))


def when_triton_is_there(then: Callable[[], None]) -> None:
    if "triton" in sys.modules and hasattr(sys.modules["triton"], "jit"):
        then()
        return
    sys.meta_path.insert(0, _Waiting("triton", then))


def reach(environment: MutableMapping[str, str]) -> None:
    """Has processes of this environment call `begin`, however these modules were found."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "start")
    path = environment.get("PYTHONPATH")
    if folder not in (path or "").split(os.pathsep):
        environment["PYTHONPATH"] = folder + (os.pathsep + path if path else "")


def why_out_of_reach() -> Optional[str]:
    """Options of this Python's that a program inherits, and which keep `begin` from being called there."""
    if sys.flags.no_site:
        return "with Python's option -S nothing of Nereid's begins in the program"
    folders = [*site.getsitepackages(), site.getusersitepackages()]
    if sys.flags.ignore_environment and not any(os.path.exists(os.path.join(folder, "nereid.pth")) for folder in folders):
        return "with Python's options -E and -I only an installed wheel of Nereid's begins in the program"
    return None


def command(program: List[str]) -> List[str]:
    """Python itself, as it runs here, with a program: a file, -m and a module, or -c and a text; and arguments."""
    return [sys.executable, *subprocess._args_from_interpreter_flags(), *program]  # type: ignore[attr-defined]


class _Kept:
    """What a table of weak references knows a worker's finalizer by."""


_kept: List[_Kept] = []


def at_end(call: Callable[[], None]) -> None:
    """Calls something once when this process ends; in a worker of multiprocessing as well, which skips what atexit has.
    A process that is forked from this one has to ask for itself."""
    pid = os.getpid()

    def finish() -> None:
        if os.getpid() == pid:
            call()

    atexit.register(finish)
    util: Any = sys.modules.get("multiprocessing.util")
    if util is None:
        return

    def finish_worker(_: Any = None) -> None:
        if os.getpid() == pid:
            util.Finalize(None, finish, exitpriority=0)

    if sys.modules["multiprocessing.process"].parent_process() is not None:
        finish_worker()
    # A worker that was forked forgets such finalizers before it begins.
    _kept.append(_Kept())
    util.register_after_fork(_kept[-1], finish_worker)


_begun = False


def begin() -> None:
    """Records and serves as the environment says, once Triton is imported."""
    global _begun
    if _begun or not (os.environ.get("NEREID_RECORD") or os.environ.get("NEREID_SERVE")):
        return
    _begun = True
    when_triton_is_there(_begin_now)


def _begin_now() -> None:
    from nereid._library import LibraryError

    variable = "NEREID_RECORD"
    try:
        if os.environ.get(variable):
            importlib.import_module("nereid.record")
        variable = "NEREID_SERVE"
        if os.environ.get(variable):
            serve: Any = importlib.import_module("nereid.serve")
            serve.start_from_environment()
    except (OSError, ValueError, LibraryError) as problem:
        # The program is in the middle of importing Triton: where exactly says nothing to whoever set the variable.
        print(f"nereid: error: {variable}={os.environ[variable]}: {problem}", file=sys.stderr)
        raise SystemExit(2) from None
