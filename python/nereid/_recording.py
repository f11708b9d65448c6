"""What was recorded, as data: events that processes write down while they run, and the sum of them.

    {"sources": {digest: {"kernel", "module", "file", "line", "files": {name: text}}},
     "specializations": {identity: {"source", "words", "options", "launches", "grids", …}},
     "tuned": {digest: [{"key", "values", "settings", "specializations", …}]},
     "selections": [{"key", "choice"}],
     "refused": {reason: {"kernel", "launches"}}}

A process appends events to a file of its own, a line of JSON each, as soon as there is something new. So one that
crashes leaves what it had, and processes that run at a time need not know of one another. Whoever ends takes the files
of all that have ended, adds them up and writes the manifest. A file's writer holds a lock on it while it lives.
"""
from __future__ import annotations

import fcntl
import json
import os
import sys
import time
from typing import Any, Dict, IO, List, Optional

FORMAT = 1
MOST_GRIDS = 48  # different launches that are kept of a specialization
Recording = Dict[str, Any]


def new_recording() -> Recording:
    return {"format": FORMAT, "programs": [], "devices": [], "sources": {}, "specializations": {}, "tuned": {}, "refused": {}}


def add_event(recording: Recording, event: Dict[str, Any]) -> None:
    kind = event.get("event")
    if kind == "begin":
        if event["program"] not in recording["programs"]:
            recording["programs"].append(event["program"])
    elif kind == "device":
        device = {"target": event["target"], "name": event["name"], "multiprocessors": event.get("multiprocessors")}
        if device not in recording["devices"]:
            recording["devices"].append(device)
    elif kind == "source":
        recording["sources"].setdefault(event["digest"], {k: event[k] for k in ("kernel", "module", "file", "line", "files")})
    elif kind == "specialization":
        entry = {"source": event["source"], "words": event["words"], "options": event["options"], "debug": event["debug"],
                 "launches": 0, "first_launch_seconds": None, "kernel_seconds": None, "hints": [], "grids": []}
        recording["specializations"].setdefault(event["identity"], entry)
    elif kind == "launches":
        add_launches(recording["specializations"].get(event["identity"]), event)
    elif kind == "winner":
        add_winner(recording["tuned"].setdefault(event["source"], []), event)
    elif kind == "selection":
        add_selection(recording.setdefault("selections", []), event)
    elif kind == "refused":
        entry = recording["refused"].setdefault(event["kernel"] + ": " + event["reason"],
                                                {"kernel": event["kernel"], "reason": event["reason"], "launches": 0})
        entry["launches"] += event["launches"]


def add_launches(entry: Optional[Dict[str, Any]], event: Dict[str, Any]) -> None:
    if entry is None:
        return
    entry["launches"] += event["launches"]
    first = event.get("first_launch_seconds")
    if first is not None:
        entry["first_launch_seconds"] = max(first, entry["first_launch_seconds"] or 0)
    if event.get("kernel_seconds") is not None:
        entry["kernel_seconds"] = event["kernel_seconds"]
    entry["hints"] = sorted({*entry["hints"], *event.get("hints", ())})
    known = {json.dumps([g["values"], g["grid"]], sort_keys=True): g for g in entry["grids"]}
    for grid in event.get("grids", ()):
        key = json.dumps([grid["values"], grid["grid"]], sort_keys=True)
        if key in known:
            known[key]["launches"] += grid["launches"]
        elif len(known) < MOST_GRIDS:
            known[key] = dict(grid)
            entry["grids"].append(known[key])


def add_winner(winners: List[Dict[str, Any]], event: Dict[str, Any]) -> None:
    """Of two winners for a key the one that was found later counts."""
    new = {k: event[k] for k in ("key", "values", "settings", "specializations", "seconds")}
    for number, winner in enumerate(winners):
        if winner["key"] == new["key"]:
            if winner["settings"] == new["settings"]:
                new["specializations"] = sorted({*winner["specializations"], *new["specializations"]})
                new["seconds"] = new["seconds"] if new["seconds"] is not None else winner["seconds"]
            winners[number] = new
            return
    winners.append(new)


def add_selection(selections: List[Dict[str, Any]], event: Dict[str, Any]) -> None:
    """Of two for a key the one that was made later counts. What another time did as the first one did goes without saying."""
    key, choice = event["key"], event["choice"]
    if len(key) == 3 and key[2] != "0" and {"key": [*key[:2], "0"], "choice": choice} in selections:
        return
    selections[:] = [selection for selection in selections if selection["key"] != key]
    selections.append({"key": key, "choice": choice})


def add_recording(into: Recording, other: Recording) -> None:
    for program in other.get("programs", ()):
        add_event(into, {"event": "begin", "program": program})
    for device in other.get("devices", ()):
        add_event(into, {"event": "device", **device})
    for digest, source in other["sources"].items():
        add_event(into, {"event": "source", "digest": digest, **source})
    for identity, entry in other["specializations"].items():
        add_event(into, {"event": "specialization", "identity": identity, **entry})
        add_event(into, {"event": "launches", "identity": identity, **entry})
    for digest, winners in other["tuned"].items():
        for winner in winners:
            add_event(into, {"event": "winner", "source": digest, **winner})
    for selection in other.get("selections", ()):
        add_event(into, {"event": "selection", **selection})
    for entry in other["refused"].values():
        add_event(into, {"event": "refused", **entry})


# ---------------------------------------------------------------------------------------------------------------------
# Files
# ---------------------------------------------------------------------------------------------------------------------
def parts_folder(output: str) -> str:
    return output + ".parts"


class Journal:
    """The file that a process writes its events to."""

    def __init__(self, output: str) -> None:
        self.output = output
        folder = parts_folder(output)
        os.makedirs(folder, exist_ok=True)
        self.path = os.path.join(folder, f"{os.uname().nodename}-{os.getpid()}-{time.monotonic_ns()}.jsonl")
        self.file: Optional[IO[str]] = open(self.path, "a", encoding="utf-8")
        self.pid = os.getpid()
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            pass
        self.write({"event": "begin", "program": program_name()})

    def write(self, *events: Dict[str, Any]) -> None:
        if self.file is not None and self.pid == os.getpid():
            self.file.write("".join(json.dumps(event) + "\n" for event in events))
            self.file.flush()

    def close(self) -> None:
        if self.file is not None:
            self.file.close()
            self.file = None


def program_name() -> str:
    main = getattr(sys.modules.get("__main__"), "__file__", None) or (sys.argv[0] if sys.argv else "")
    return os.path.basename(main or "python")


def read_part(path: str, recording: Recording) -> None:
    """Adds the events of a file. A last line that is cut short, as by a crash, is left out."""
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                event = json.loads(line)
            except ValueError:
                continue
            add_event(recording, event)


class FolderLock:
    """Keeps others from writing the manifest; the folder of the parts is what is locked."""

    def __init__(self, output: str) -> None:
        self.folder = parts_folder(output)

    def __enter__(self) -> "FolderLock":
        os.makedirs(self.folder, exist_ok=True)
        self.handle = os.open(self.folder, os.O_RDONLY)
        try:
            fcntl.flock(self.handle, fcntl.LOCK_EX)
        except OSError:
            pass
        return self

    def __exit__(self, *_: Any) -> None:
        try:
            os.rmdir(self.folder)
        except OSError:
            pass  # Somebody else still writes there.
        os.close(self.handle)


def take_parts(output: str, recording: Recording) -> List[str]:
    """Adds the files of all processes that have ended. Returns them, to be removed once the sum is written."""
    folder, taken = parts_folder(output), []
    try:
        names = sorted(os.listdir(folder))
    except FileNotFoundError:
        return []
    for name in names:
        path = os.path.join(folder, name)
        try:
            with open(path, encoding="utf-8") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                read_part(path, recording)
        except OSError:
            continue
        taken.append(path)
    return taken
