"""The manifest that `nereid build` reads, made of what was recorded.

A kernel becomes one C function where its specializations can be told apart by a call: by types and traits, by the
values of compile-time parameters ("dispatch"), and, where an autotuner chose, by the values of its key ("when").
Those that cannot become several functions. Everything that was recorded stays in the manifest, under "recorded", so
that recordings can be merged; what a served program needs to find a variant again goes into the library, under the
variant's own "recorded".
"""
from __future__ import annotations

import ctypes
import json
import os
import re
from typing import Any, Dict, List, Optional, Sequence, Tuple

from nereid import _grids, _recording

C_KEYWORDS = set("""alignas alignof and and_eq asm atomic_cancel auto bitand bitor bool break case catch char class compl
concept const const_cast consteval constexpr constinit continue co_await co_return co_yield decltype default delete do
double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace new
noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires restrict return
short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef typeid
typename typeof union unsigned using virtual void volatile wchar_t while xor xor_eq main std errno assert""".split())
SELECTION_CARRIERS = 3
Entry = Dict[str, Any]


def target_name(target: Any) -> str:
    """A device of Triton's as Nereid calls what is compiled for it."""
    if target.backend == "cuda":
        return f"cuda:{target.arch}" + ("a" if int(target.arch) >= 90 and int(target.arch) % 10 == 0 else "")
    return f"{target.backend}:{target.arch}"


def library_name(output: str) -> str:
    stem = re.sub(r"\W", "_", os.path.splitext(os.path.basename(output))[0], flags=re.ASCII)
    if not stem or stem[0].isdigit() or stem.startswith("__") or stem == "nrd" or stem.startswith("nrd_"):
        stem = "lib" + stem
    return stem


_process = ctypes.CDLL(None)
_math: Optional[ctypes.CDLL] = None


def function_name(kernel: str) -> str:
    """A name that is free in C."""
    global _math
    name = re.sub(r"\W", "_", kernel, flags=re.ASCII)
    name = re.sub(r"^_+(?=[A-Z_])|^__+", "", name) or "kernel"
    if name[0].isdigit() or name.lower().startswith(("nrd_", "nereid_")):
        name = "kernel_" + name
    if _math is None:
        try:
            _math = ctypes.CDLL("libm.so.6")
        except OSError:
            _math = _process
    if name in C_KEYWORDS or hasattr(_process, name) or hasattr(_math, name) or len(name) < 4:
        name += "_kernel"
    return name


# ---------------------------------------------------------------------------------------------------------------------
# Functions
# ---------------------------------------------------------------------------------------------------------------------
def _class_of(word: Dict[str, Any]) -> str:
    """What a parameter is in C, as far as variants of a function have to agree in it."""
    text, constant = word["text"], word["constant"]
    if constant:
        if constant in ("bool", "integer"):
            return "value:integer"
        return f"value:{constant}" + (f":{text}" if constant in ("tuple", "named") else "")
    plain = re.sub(r":(16|1)\b", "", text)
    if re.fullmatch(r"i(8|16|32|64)", plain):
        return "integer"
    return plain


def _agrees(a: str, b: str) -> bool:
    if a == b:
        return True
    for one, other in ((a, b), (b, a)):
        if one == "value:none":
            return other.startswith("*") or other in ("value:integer", "value:float", "value:text", "value:dtype")
    return {a, b} == {"value:integer", "value:float"}


class _Function:
    """Specializations of a kernel that one C function can have."""

    def __init__(self, source: str, settings: Tuple[Any, ...]) -> None:
        self.source, self.settings = source, settings
        self.classes: List[str] = []
        self.members: Dict[str, Entry] = {}
        self.when: Dict[str, Optional[str]] = {}

    def takes(self, entry: Entry) -> bool:
        classes = [_class_of(word) for word in entry["words"]]
        return not self.classes or all(map(_agrees, self.classes, classes))

    def add(self, identity: str, entry: Entry) -> None:
        classes = [_class_of(word) for word in entry["words"]]
        old = self.classes or classes
        self.classes = [b if a == "value:none" else a for a, b in zip(old, classes)]
        self.members[identity] = entry

    def dispatched(self, tuned: set) -> List[str]:
        """The compile-time parameters in which the members differ, and which no autotuner sets."""
        texts: Dict[str, set] = {}
        for entry in self.members.values():
            for word in entry["words"]:
                if word["constexpr"] and word["name"] not in tuned:
                    texts.setdefault(word["name"], set()).add(word["text"])
        return [name for name, values in texts.items() if len(values) > 1]

    def types(self) -> List[str]:
        found = []
        for entry in self.members.values():
            for word in entry["words"]:
                found += re.findall(r"\*(\w+)", word["text"]) if not word["constant"] else []
            break
        return sorted(set(found), key=found.index)


def _told_by(entry: Entry, dispatch: List[str]) -> Tuple[Any, ...]:
    """What a call can see of a variant, but for its condition."""
    return tuple(word["text"] for word in entry["words"] if not word["constant"] or word["name"] in dispatch or
                 word["constant"] == "none" and not word["constexpr"])


def _condition(entry: Entry, winners: List[Entry]) -> Optional[str]:
    """That one of the keys was given for which an autotuner chose the variant; None if it ran for others as well."""
    terms = []
    for launch in entry["grids"]:
        if not any(all(launch["values"].get(name) == value for name, value in winner["values"].items()) for winner in winners):
            return None
    for winner in winners:
        if not winner["values"]:
            return None
        term = " and ".join(f"{name} == {value}" for name, value in sorted(winner["values"].items()))
        if term not in terms:
            terms.append(term)
    if not terms:
        return None
    return terms[0] if len(terms) == 1 else " or ".join(f"({term})" for term in terms)


def _split(source: str, entries: Dict[str, Entry], winners: List[Entry]) -> List[_Function]:
    """The functions that a kernel becomes."""
    tuned = {name for winner in winners for name in winner["settings"]}
    of = {identity: [w for w in winners if identity in w["specializations"]] for identity in entries}
    functions: List[_Function] = []
    order = sorted(entries, key=lambda identity: (-entries[identity]["launches"], identity))
    for identity in order:
        entry = entries[identity]
        settings = (entry["debug"], *(bool(entry["options"].get(flag)) for flag in ("launch_cooperative_grid", "launch_pdl")))
        for function in functions:
            if function.settings == settings and function.takes(entry) and _fits(function, identity, entry, of, tuned):
                break
        else:
            function = _Function(source, settings)
            function.add(identity, entry)
            functions.append(function)
    for function in functions:
        function.when = _conditions(function, of, tuned) or {}
    return functions


def _fits(function: _Function, identity: str, entry: Entry, of: Dict[str, List[Entry]], tuned: set) -> bool:
    old = (function.classes, dict(function.members))
    function.add(identity, entry)
    if _conditions(function, of, tuned) is not None:
        return True
    function.classes, function.members = old
    return False


def _conditions(function: _Function, of: Dict[str, List[Entry]], tuned: set) -> Optional[Dict[str, Optional[str]]]:
    """The condition of each member; None if calls cannot tell them apart. Of those that only a key tells apart, the
    one that is launched most often takes what has no key as well."""
    dispatch = function.dispatched(tuned)
    families: Dict[Tuple[Any, ...], List[str]] = {}
    for identity, entry in function.members.items():
        families.setdefault(_told_by(entry, dispatch), []).append(identity)
    conditions: Dict[str, Optional[str]] = {}
    for family in families.values():
        seen = set()
        for number, identity in enumerate(family):
            when = _condition(function.members[identity], of[identity]) if number else None
            if number and (when is None or when in seen):
                return None
            seen.add(when)
            conditions[identity] = when
    return conditions


# ---------------------------------------------------------------------------------------------------------------------
# The manifest
# ---------------------------------------------------------------------------------------------------------------------
def _find_grid(function: _Function) -> Optional[str]:
    launches, constants, hints = [], set(), set()
    for entry in function.members.values():
        hints |= set(entry["hints"])
        for word in entry["words"]:
            if word["constexpr"]:
                constants.add(word["name"])
        for grid in entry["grids"]:
            launches.append(_grids.Launch(grid["values"], tuple(grid["grid"])))
    parameters = {word["name"] for entry in function.members.values() for word in entry["words"]}
    return _grids.fit(launches, constants, hints & parameters)


def _signature(identity: str, entry: Entry, when: Optional[str], winners: List[Entry],
               multiprocessors: Optional[int]) -> Dict[str, Any]:
    signature: Dict[str, Any] = {"signature": ", ".join(f"{word['name']}={word['text']}" for word in entry["words"])}
    if when:
        signature["when"] = when
    for option in ("num_warps", "num_stages", "num_ctas", "maxnreg"):
        if option in entry["options"]:
            signature[option] = entry["options"][option]
    waves = entry["options"].get("waves_per_eu")
    if isinstance(waves, int) and waves > 0:
        signature["for"] = {"hip": {"waves_per_eu": waves}}
    recorded: Dict[str, Any] = {"identity": identity, "source": entry["source"], "launches": entry["launches"]}
    for name in ("first_launch_seconds", "kernel_seconds"):
        if entry.get(name) is not None:
            recorded[name] = float(f"{entry[name]:.4g}")
    if multiprocessors:
        recorded["multiprocessors"] = multiprocessors
    if winners:
        recorded["winners"] = [{"key": w["key"], "settings": w["settings"]} for w in winners]
    signature["recorded"] = recorded
    return signature


def _module_name(source: Entry) -> str:
    last = source["module"].rpartition(".")[2]
    return os.path.splitext(os.path.basename(source["file"]))[0] if last in ("", "__main__") else last


def _name_functions(recording: _recording.Recording, functions: List[_Function]) -> List[str]:
    """Kernels of one name in several modules get their module's, those of several types their types'."""
    sources = recording["sources"]
    bases: Dict[str, List[str]] = {}
    for function in functions:
        base = function_name(sources[function.source]["kernel"])
        if function.source not in bases.setdefault(base, []):
            bases[base].append(function.source)
    names: List[str] = []
    for function in functions:
        source = sources[function.source]
        base = function_name(source["kernel"])
        if len({sources[other]["module"] for other in bases[base]}) > 1:
            base = function_name(f"{_module_name(source)}_{source['kernel'].lstrip('_')}")
        siblings = [other for other in functions if other.source == function.source]
        if len(siblings) > 1 and len({tuple(other.types()) for other in siblings}) > 1:
            base = "_".join([base, *function.types()])
        names.append(base)
    taken: set = set()
    for number, name in enumerate(names):
        unique, count = name, 1
        while unique in taken:
            count += 1
            unique = f"{name}_{count}"
        taken.add(unique)
        names[number] = unique
    return names


def source_folder(output: str, source: Entry, digest: str) -> str:
    """Where a kernel's files lie, relative to the manifest."""
    stem = os.path.splitext(os.path.basename(output))[0]
    return f"{stem}.sources/{source['kernel']}-{digest[:8]}"


def _carry_selections(kernels: List[Dict[str, Any]], selections: List[Dict[str, Any]]) -> None:
    """What PyTorch's compiler chose is of no kernel. As only what belongs to variants comes into the library, some carry it, of
    several kernels, since a build may leave one out."""
    step = max(len(kernels) // SELECTION_CARRIERS, 1)
    for kernel in kernels[::step][:SELECTION_CARRIERS] if selections else ():
        kernel["signatures"][0]["recorded"]["selections"] = selections


def make_manifest(recording: _recording.Recording, output: str) -> Dict[str, Any]:
    functions: List[_Function] = []
    sources = recording["sources"]
    counts = {device.get("multiprocessors") for device in recording["devices"]}
    multiprocessors = counts.pop() if len(counts) == 1 else None
    for digest in sorted(sources, key=lambda d: (sources[d]["kernel"], sources[d]["module"], sources[d]["file"], d)):
        entries = {i: e for i, e in recording["specializations"].items() if e["source"] == digest}
        functions += _split(digest, entries, recording["tuned"].get(digest, []))
    kernels = []
    for function, name in zip(functions, _name_functions(recording, functions)):
        source = sources[function.source]
        winners = recording["tuned"].get(function.source, [])
        tuned = {setting for winner in winners for setting in winner["settings"]}
        kernel: Dict[str, Any] = {"source": f"{source_folder(output, source, function.source)}/{next(iter(source['files']))}",
                                  "kernel": source["kernel"], "function": name}
        grid = _find_grid(function)
        if grid:
            kernel["grid"] = grid
        dispatch = function.dispatched(tuned)
        if dispatch:
            kernel["dispatch"] = dispatch
        for flag, value in zip(("debug", "launch_cooperative_grid", "launch_pdl"), function.settings):
            if value:
                kernel[flag] = True
        kernel["signatures"] = [
            _signature(identity, entry, function.when.get(identity),
                       [w for w in winners if identity in w["specializations"]], multiprocessors)
            for identity, entry in function.members.items()]
        kernels.append(kernel)
    _carry_selections(kernels, recording.get("selections", []))
    targets = sorted({device["target"] for device in recording["devices"]})
    stripped = {**recording, "sources": {
        digest: {**{k: v for k, v in source.items() if k != "files"}, "files": list(source["files"]),
                 "folder": source_folder(output, source, digest)} for digest, source in recording["sources"].items()}}
    return {"name": library_name(output), "targets": targets or ["cpu"], "optional": True, "kernels": kernels,
            "recorded": stripped}


def is_recording(path: str) -> bool:
    try:
        with open(path, encoding="utf-8") as file:
            return "recorded" in json.load(file)
    except (OSError, ValueError, TypeError):
        return False


def read_recording(path: str) -> _recording.Recording:
    """What a manifest that was recorded knows, with the sources that lie beside it."""
    with open(path, encoding="utf-8") as file:
        manifest = json.load(file)
    if not isinstance(manifest, dict) or "recorded" not in manifest:
        raise ValueError(f"'{path}' is no recording")
    recording = manifest["recorded"]
    if recording.get("format") != _recording.FORMAT:
        raise ValueError(f"'{path}' was recorded by another version of Nereid")
    for digest in list(recording["sources"]):
        source = recording["sources"][digest]
        folder = os.path.join(os.path.dirname(os.path.abspath(path)), source.pop("folder"))
        texts = {}
        for name in source["files"]:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                texts[name] = file.read()
        source["files"] = texts
    return recording


def read_text(path: str) -> Optional[str]:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def write_whole(path: str, text: str) -> None:
    """The file is there as a whole or as it was before."""
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def write_manifest(recording: _recording.Recording, output: str) -> None:
    manifest = make_manifest(recording, output)
    parent = os.path.dirname(os.path.abspath(output))
    for digest, source in recording["sources"].items():
        folder = os.path.join(parent, source_folder(output, source, digest))
        for name, text in source["files"].items():
            path = os.path.join(folder, name)
            if read_text(path) != text:
                write_whole(path, text)
    write_whole(output, json.dumps(manifest, indent=1) + "\n")


def remove(output: str) -> None:
    """Takes an old recording away, with its sources and what processes have left; nothing else that lies there."""
    if os.path.exists(output):
        with open(output, encoding="utf-8") as file:
            sources = json.load(file)["recorded"].get("sources", {})
        parent = os.path.dirname(os.path.abspath(output))
        for source in sources.values():
            folder = os.path.normpath(os.path.join(parent, source["folder"]))
            for name in source["files"]:
                path = os.path.join(folder, os.path.basename(name))
                if folder.startswith(parent + os.sep) and os.path.exists(path):
                    os.unlink(path)
            for empty in (folder, os.path.dirname(folder)):
                try:
                    os.rmdir(empty)
                except OSError:
                    break
        os.unlink(output)
    folder = _recording.parts_folder(output)
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        if name.endswith(".jsonl"):
            os.unlink(os.path.join(folder, name))


def collect(output: str, more: Sequence[str] = (), is_last: bool = True) -> _recording.Recording:
    """Brings the manifest up to date with what processes have written down, and with other recordings. Without a kernel
    there is no manifest; the last one who collects takes away what tells why."""
    with _recording.FolderLock(output):
        recording = read_recording(output) if os.path.exists(output) else _recording.new_recording()
        parts = _recording.take_parts(output, recording)
        for path in more:
            _recording.add_recording(recording, read_recording(path))
        is_written = (parts or more) and recording["specializations"]
        if is_written:
            write_manifest(recording, output)
        for path in parts if is_written or is_last else ():
            os.unlink(path)
    return recording
