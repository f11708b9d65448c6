"""Writes down every kernel that a program launches by Triton, as a manifest for `nereid build`.

    python -m nereid.record -o app.json app.py …       runs app.py, and leaves app.json and app.sources/
    import nereid.record                               records from here on, into $NEREID_RECORD or NAME.recorded.json
    python -m nereid.record -o all.json --merge a.json b.json

The command begins anew, whatever app.json has; with --merge, and by the import, what was recorded before stays.
"""
from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from typing import List, Optional

from nereid import _inductor, _manifest, _recorder, _recording, _startup

_active: Optional[_recorder.Recorder] = None


def start(output: Optional[str] = None) -> None:
    """Records what this process launches from here on. Once; later calls do nothing."""
    global _active
    if _active is not None:
        return
    if output is None:
        output = os.environ.get("NEREID_RECORD") or os.path.splitext(_recording.program_name())[0] + ".recorded.json"
    output = os.path.abspath(output)
    if os.path.exists(output) and not _manifest.is_recording(output):
        raise FileExistsError(f"'{output}' is there and is no recording; NEREID_RECORD names another file")
    os.environ["NEREID_RECORD"] = output  # for the processes that this one starts
    _startup.reach(os.environ)
    _active = _recorder.Recorder(output)
    _recorder.install(_active)
    _inductor.install(_active)


def stop() -> None:
    """Writes the manifest now, and records no more."""
    if _active is not None:
        _active.finish()


def describe(output: str) -> str:
    return describe_recording(_manifest.read_recording(output), output)


def describe_recording(recording: _recording.Recording, output: str) -> str:
    entries = recording["specializations"]
    launches = sum(entry["launches"] for entry in entries.values())
    text = (f"nereid.record: {len(recording['sources'])} kernels, {len(entries)} specializations, {launches} launches in "
            f"{os.path.relpath(output)}")
    for refused in recording["refused"].values():
        text += f"\nnereid.record: not recorded: {refused['kernel']}, {refused['launches']} launches: {refused['reason']}"
    return text


def _run(output: str, program: List[str]) -> int:
    """Runs the program in a process of its own, so that a recording is left however it ends."""
    environment = {**os.environ, "NEREID_RECORD": output}
    _startup.reach(environment)
    child = subprocess.Popen(_startup.command(program), env=environment)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda received, _: child.send_signal(received))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The terminal sends it to the program as well.
    status = child.wait()
    try:
        recording = _manifest.collect(output)
    except OSError as problem:
        print(f"nereid.record: error: cannot write '{os.path.relpath(output)}': {problem.strerror}; what was recorded is in "
              f"'{os.path.relpath(_recording.parts_folder(output))}', and --merge takes it from there", file=sys.stderr)
        return 1
    except ValueError as problem:
        print(f"nereid.record: error: {problem}", file=sys.stderr)
        return 1
    if os.path.exists(output):
        print(describe(output), file=sys.stderr)
    elif recording["refused"]:
        print(describe_recording(recording, output), file=sys.stderr)
    else:
        print("nereid.record: the program launched no kernel of Triton's", file=sys.stderr)
    return status if status >= 0 else 128 - status


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m nereid.record", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="the manifest to write")
    parser.add_argument("--merge", action="store_true",
                        help="keep what FILE has; without a program, add the recordings that are named")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("-m", "--module", action="store_true", help="PROGRAM is the name of a module")
    kind.add_argument("-c", "--code", action="store_true", help="PROGRAM is a text in Python")
    parser.add_argument("program", nargs=argparse.REMAINDER, metavar="PROGRAM …", help="a .py file and its arguments")
    options = parser.parse_args()
    output = os.path.abspath(options.output)
    if os.path.exists(output) and not _manifest.is_recording(output):
        print(f"nereid.record: error: '{options.output}' is there and is no recording", file=sys.stderr)
        return 2
    is_file = not options.module and not options.code
    if options.merge and is_file and all(path.endswith(".json") for path in options.program):
        try:
            _manifest.collect(output, options.program)
        except (OSError, ValueError, KeyError) as failure:
            print(f"nereid.record: error: {failure}", file=sys.stderr)
            return 1
        if not os.path.exists(output):
            print("nereid.record: error: nothing was recorded", file=sys.stderr)
            return 1
        print(describe(output), file=sys.stderr)
        return 0
    if not options.program:
        parser.error("a program to run is missing")
    if is_file and not os.path.exists(options.program[0]):
        print(f"nereid.record: error: there is no file '{options.program[0]}'", file=sys.stderr)
        return 2
    problem = _startup.why_out_of_reach()
    if problem:
        print(f"nereid.record: error: {problem}", file=sys.stderr)
        return 2
    try:
        if not options.merge:
            _manifest.remove(output)
        os.makedirs(_recording.parts_folder(output), exist_ok=True)
    except OSError as failure:
        print(f"nereid.record: error: cannot write '{options.output}': {failure.strerror}", file=sys.stderr)
        return 2
    return _run(output, (["-m"] if options.module else ["-c"] if options.code else []) + options.program)


if __name__ == "__main__":
    sys.exit(main())
else:
    start()
