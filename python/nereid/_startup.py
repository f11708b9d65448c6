"""What NEREID_RECORD and NEREID_SERVE ask for, in any process of Python that has them in its environment.

The wheel has a .pth file which calls `begin` when Python starts and one of the two is set. Most such processes never
import Triton, so nothing is done before they do.
"""
from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from typing import Any, Callable, Optional, Sequence


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
