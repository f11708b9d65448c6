"""Runs a program under what the environment asks for: python -m nereid._program [-m MODULE | FILE] ARGUMENTS…

The program gets the process's own `__main__`, as it would from Python itself, and keeps it to the very end: what it
pickles is found there by threads and exit handlers that outlive its last line. runpy's public functions would put a
module of their own in that place and take it away again.
"""
from __future__ import annotations

import importlib.machinery
import io
import os
import runpy
import sys
from typing import Any, Dict, List

from nereid import _startup


def clear_main() -> Dict[str, Any]:
    """Takes away what this file has defined; its functions see none of their imports from there on."""
    names = vars(sys.modules["__main__"])
    for name in [name for name in names if name not in ("__annotations__", "__builtins__", "__name__")]:
        del names[name]
    return names


def run_file(path: str) -> None:
    with io.open_code(path) as file:
        code = compile(file.read(), path, "exec", dont_inherit=True)
    loader = importlib.machinery.SourceFileLoader("__main__", path)
    names = clear_main()
    names.update(__doc__=None, __package__=None, __spec__=None, __file__=path, __cached__=None, __loader__=loader)
    exec(code, names)


def run_module(name: str) -> None:
    run = runpy._run_module_as_main  # type: ignore[attr-defined]  # what `python -m` calls
    clear_main()
    run(name)


def run_program(arguments: List[str]) -> None:
    _startup.begin()
    sys.argv = arguments
    if arguments[0] == "-m":
        name = arguments[1]
        sys.argv = arguments[1:]
        sys.path[0] = os.getcwd()
        run_module(name)
        return
    sys.path[0] = os.path.dirname(os.path.realpath(arguments[0]))
    if os.path.isfile(arguments[0]) and arguments[0].endswith((".py", ".pyw")):
        run_file(os.path.abspath(arguments[0]))
    else:  # a folder or an archive with a __main__, compiled code, or a script by another name
        runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    run_program(sys.argv[1:])
