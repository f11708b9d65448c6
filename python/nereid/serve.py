"""Has Triton's launches come from libraries: no compilation, no ptxas, no cache folder.

    nereid.serve("libapp.so")                       in a program, before or behind its import of Triton
    python -m nereid.serve libapp.so app.py …       for a program as it is
    NEREID_SERVE=libapp.so python app.py            likewise, where Nereid's wheel is installed

What the libraries do not have is compiled by Triton, and told at the end of the program; with NEREID_RECORD=more.json it is
recorded. NEREID_SERVE_STRICT=1 makes it an error instead. NEREID_SERVE_DEVICE=cpu runs on tensors of the host.
"""
from __future__ import annotations

import argparse
import os
import sys
import types
from typing import Any, List, Optional, Union

from nereid import _library, _startup


def start(libraries: Union[str, "os.PathLike[str]", List[str]], *, device: Optional[str] = None, strict: bool = False,
          quiet: bool = False) -> None:
    """Serves this process. May be called for several libraries; of those that have a kernel the first counts.

    device: "cpu" runs kernels on the host, for tensors that lie there. strict: what no library has is an error. quiet:
    nothing is told at the end."""
    from nereid import _serving

    paths = [os.fspath(p) for p in libraries] if isinstance(libraries, (list, tuple)) else [os.fspath(libraries)]
    session = _serving.session
    if device not in (None, "cpu"):
        raise ValueError(f"device={device!r}: it is the current one of Triton, or 'cpu'")
    loaded = [_library.Library(path) for path in paths]
    session.libraries += [one for one in loaded if one.path not in {other.path for other in session.libraries}]
    session.device = device or session.device
    session.strict |= strict or device == "cpu"  # There is nobody else.
    session.quiet |= quiet
    # For the processes that this one starts.
    os.environ["NEREID_SERVE"] = os.pathsep.join(one.path for one in session.libraries)
    for name, value in (("DEVICE", session.device or ""), ("STRICT", "1" if strict else ""), ("QUIET", "1" if session.quiet else "")):
        if value:
            os.environ["NEREID_SERVE_" + name] = value
    _startup.reach(os.environ)
    _startup.when_triton_is_there(session.install)


def start_from_environment() -> None:
    start(os.environ["NEREID_SERVE"].split(os.pathsep), device=os.environ.get("NEREID_SERVE_DEVICE") or None,
          strict=os.environ.get("NEREID_SERVE_STRICT", "0") not in ("", "0"),
          quiet=os.environ.get("NEREID_SERVE_QUIET", "0") not in ("", "0"))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m nereid.serve", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=["cpu"], help="run kernels on the host")
    parser.add_argument("--strict", action="store_true", help="what the library does not have is an error")
    parser.add_argument("--quiet", action="store_true", help="tell nothing at the end")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("-m", "--module", action="store_true", help="PROGRAM is the name of a module")
    kind.add_argument("-c", "--code", action="store_true", help="PROGRAM is a text in Python")
    parser.add_argument("library", metavar="LIBRARY", help=f"libNAME.so; several with '{os.pathsep}' between them")
    parser.add_argument("program", nargs=argparse.REMAINDER, metavar="PROGRAM …", help="a .py file and its arguments")
    options = parser.parse_args()
    if not options.program:
        parser.error("a program to run is missing")
    problem = _startup.why_out_of_reach()
    if problem:
        print(f"nereid.serve: error: {problem}", file=sys.stderr)
        return 2
    paths = [os.path.abspath(path) for path in options.library.split(os.pathsep)]
    try:
        for path in paths:
            _library.Library(path)
    except _library.LibraryError as failure:
        print(f"nereid.serve: error: {failure}", file=sys.stderr)
        return 2
    environment = {**os.environ, "NEREID_SERVE": os.pathsep.join(paths)}
    for name, value in (("DEVICE", options.device), ("STRICT", options.strict), ("QUIET", options.quiet)):
        if value:
            environment["NEREID_SERVE_" + name] = value if isinstance(value, str) else "1"
    _startup.reach(environment)
    kind_of_program = ["-m"] if options.module else ["-c"] if options.code else []
    os.execve(sys.executable, _startup.command([*kind_of_program, *options.program]), environment)


class _Callable(types.ModuleType):
    """The module is a function, too."""

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        start(*args, **kwargs)


if __name__ == "__main__":
    sys.exit(main())
else:
    sys.modules[__name__].__class__ = _Callable
