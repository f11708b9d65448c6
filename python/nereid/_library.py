"""A library that Nereid made, as what serves a program knows it: which specializations it has, and how to call them.

The library tells that itself, by the JSON in its ELF section `.nereid` (`nereid inspect --json` shows it). A variant that
was recorded has the identity there that the recording gave it. Its C function is called as FUNCTION_force_grid, which
runs one variant by its number: what Triton would have compiled, and no other that fits as well.
"""
from __future__ import annotations

import ctypes
import hashlib
import json
import os
import struct
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from nereid import _calls

ABI_VERSION = 2
INVALID_ARGUMENT = 1
NOTHING_RAN = (2, 3, 4)  # NRD_ERROR_NO_VARIANT, NO_DRIVER and NO_DEVICE
EMPTY = 4096  # where an empty tensor is said to lie: the library takes no null pointers


class Stream(ctypes.Structure):
    _fields_ = [("backend", ctypes.c_int32), ("handle", ctypes.c_void_p)]


class Dim3(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint32), ("y", ctypes.c_uint32), ("z", ctypes.c_uint32)]


class OptionalInteger(ctypes.Structure):
    _fields_ = [("value", ctypes.c_int64), ("has_value", ctypes.c_bool)]


class OptionalFloat(ctypes.Structure):
    _fields_ = [("value", ctypes.c_double), ("has_value", ctypes.c_bool)]


BACKENDS = {"cpu": 0, "cuda": 1, "hip": 2}
NUMBERS: Dict[str, Any] = {
    "i1": ctypes.c_bool, "i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32, "i64": ctypes.c_int64,
    "u1": ctypes.c_bool, "u8": ctypes.c_uint8, "u16": ctypes.c_uint16, "u32": ctypes.c_uint32, "u64": ctypes.c_uint64,
    "fp16": ctypes.c_uint16, "bf16": ctypes.c_uint16, "fp32": ctypes.c_float, "fp64": ctypes.c_double}
FORMS: Dict[str, Any] = {"text": ctypes.c_char_p, "dtype": ctypes.c_int, "i64 or None": OptionalInteger,
                         "fp64 or None": OptionalFloat}
DTYPES = {name: number for number, name in enumerate(
    ("i1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "fp8e4nv", "fp8e4b8", "fp8e4b15", "fp8e5", "fp8e5b16",
     "fp16", "bf16", "fp32", "fp64"), 1)}


def may_run_on(description: Dict[str, Any], backend: str, arch: Any) -> bool:
    """Whether a variant may have code for a device. It has none if all it has is for others' devices, or for newer ones of
    NVIDIA's; otherwise only the library knows."""
    names = [code["target"].split(":") for code in description["targets"] if code["target"].split(":")[0] == backend]
    if backend != "cuda":
        return bool(names)
    return any(int(name[1].rstrip("af")) <= int(arch) for name in names)


class LibraryError(Exception):
    """A file cannot be served from."""


def read_sections(path: str, wanted: Sequence[str]) -> List[bytes]:
    """The sections of these names in a 64-bit ELF file."""
    try:
        with open(path, "rb") as file:
            head = file.read(64)
            if head[:4] != b"\x7fELF" or len(head) < 64 or head[4] != 2 or head[5] != 1:
                raise LibraryError(f"'{path}' is no library")
            offset, = struct.unpack_from("<Q", head, 40)
            size, count, names_at = struct.unpack_from("<HHH", head, 58)
            file.seek(offset)
            table = file.read(size * count)
            sections = [struct.unpack_from("<IIQQQQ", table, i * size) for i in range(count)]

            def contents(section: Tuple[int, ...]) -> bytes:
                file.seek(section[4])
                return file.read(section[5])

            names = contents(sections[names_at])
            return [contents(section) for section in sections
                    if names[section[0]:].split(b"\0", 1)[0].decode(errors="replace") in wanted]
    except OSError as problem:
        raise LibraryError(f"cannot open '{path}': {problem.strerror}") from None
    except (struct.error, IndexError):
        raise LibraryError(f"'{path}' is damaged") from None


def read_descriptions(path: str) -> List[Dict[str, Any]]:
    """The JSON texts in the section `.nereid`."""
    texts = [text for section in read_sections(path, [".nereid"]) for text in section.split(b"\0") if text.strip()]
    try:
        return [json.loads(text) for text in texts]
    except ValueError:
        raise LibraryError(f"'{path}' is damaged") from None


class Variant(NamedTuple):
    """A specialization that a library has."""
    library: "Library"
    function: Dict[str, Any]  # its description
    number: int
    description: Dict[str, Any]


class Library:
    def __init__(self, path: str) -> None:
        self.path = os.path.abspath(path)
        descriptions = read_descriptions(self.path)
        if not descriptions:
            raise LibraryError(f"'{path}' was not made by Nereid")
        self.variants: Dict[str, Variant] = {}
        self.sources: set = set()
        self.multiprocessors: Optional[int] = None  # of the GPU of the recording
        self.winners: Dict[str, Dict[Tuple[str, ...], Dict[str, Any]]] = {}
        self.selections: Dict[Tuple[str, ...], Any] = {}  # by PyTorch's compiler
        self.names = [description["library"] for description in descriptions]
        for description in descriptions:
            for function in description["kernels"]:
                function = {**function, "library": description["library"]}
                for number, variant in enumerate(function["variants"]):
                    try:
                        self.add(function, number, variant)
                    except (AttributeError, KeyError, TypeError):
                        raise LibraryError(f"'{path}' has what no recording writes as \"recorded\" of {function['name']}") from None
        if not self.variants:
            raise LibraryError(f"'{path}' was not built from a recording")
        self.loaded: Optional[ctypes.CDLL] = None
        self.sections: Optional[List[bytes]] = None  # with what GPUs run

    def add(self, function: Dict[str, Any], number: int, variant: Dict[str, Any]) -> None:
        recorded = variant.get("recorded")
        if not isinstance(recorded, dict) or "identity" not in recorded:
            return
        self.variants[recorded["identity"]] = Variant(self, function, number, variant)
        self.sources.add(recorded["source"])
        self.multiprocessors = self.multiprocessors or recorded.get("multiprocessors")
        for selection in recorded.get("selections", ()):
            self.selections[tuple(selection["key"])] = selection["choice"]
        for winner in recorded.get("winners", ()):
            self.winners.setdefault(recorded["source"], {})[tuple(winner["key"])] = winner["settings"]

    def read_image(self, kept: Dict[str, Any]) -> bytes:
        """The machine code for a GPU that a description names. It lies in the vendors' containers, which keep ELF files whole and
        at multiples of 8, unless they are compressed."""
        if self.sections is None:
            self.sections = read_sections(self.path, [".nv_fatbin", ".hip_fatbin"])
        for section in self.sections:
            place = section.find(b"\x7fELF")
            while place >= 0:
                image = section[place:place + kept["bytes"]] if place % 8 == 0 else b""
                if hashlib.sha256(image).hexdigest() == kept["sha256"]:
                    return image
                place = section.find(b"\x7fELF", place + 1)
        raise LibraryError("its code is compressed in the library")

    def load(self) -> ctypes.CDLL:
        if self.loaded is None:
            try:
                library = ctypes.CDLL(self.path)
            except OSError as problem:
                raise LibraryError(f"cannot load '{self.path}': {problem}") from None
            for name in self.names:
                ask = getattr(library, name + "_abi_version")
                ask.restype = ctypes.c_uint32
                if ask() != ABI_VERSION:
                    raise LibraryError(f"'{self.path}' has an interface of the version {ask()}, and this is for {ABI_VERSION}")
            self.loaded = library
        return self.loaded

    def last_error(self, variant: Variant) -> str:
        ask = getattr(self.load(), variant.function["library"] + "_last_error")
        ask.restype = ctypes.c_char_p
        return (ask() or b"").decode(errors="replace")


# ---------------------------------------------------------------------------------------------------------------------
# Calls
# ---------------------------------------------------------------------------------------------------------------------
def half(value: Any) -> int:
    return int(struct.unpack("<H", struct.pack("<e", float(value)))[0])


def bfloat(value: Any) -> int:
    bits = int(struct.unpack("<I", struct.pack("<f", float(value)))[0])
    if bits & 0x7fffffff > 0x7f800000:
        return bits >> 16 | 0x40
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16


def address(value: Any) -> int:
    """Where a tensor lies."""
    found = value if isinstance(value, int) else value.data_ptr()
    return found or EMPTY


def c_name(path: Tuple[Any, ...], value: Any) -> str:
    """What the C function calls an argument: x, x_0 or x_size of tuples, x_shape_0 of descriptors."""
    name = str(path[0])
    for step in path[1:]:
        if isinstance(step, str):
            if step != ".base":
                name += "_" + {".strides": "stride"}.get(step, step[1:])
            value = getattr(value, step[1:])
            continue
        fields = getattr(value, "_fields", None)
        name += f"_{fields[step]}" if fields else f"_{step}"
        value = value[step]
    return name


def pass_constant(form: str, value: Any) -> Any:
    """A compile-time value by which the C function chooses, as its argument."""
    if form.startswith("*"):
        return None if value is None else address(value)
    if form == "text":
        if value is not None and not isinstance(value, str):
            raise LibraryError("a function")
        return None if value is None else value.encode()
    if form == "dtype":
        name = "" if value is None else value.name.replace("uint", "u").replace("int", "i")
        if name and name not in DTYPES:
            raise LibraryError(f"the dtype {value}")
        return DTYPES[name] if name else 0
    if form == "i64 or None":
        return OptionalInteger(0, False) if value is None else OptionalInteger(int(value), True)
    if form == "fp64 or None":
        return OptionalFloat(0, False) if value is None else OptionalFloat(float(value), True)
    if form in ("fp16", "bf16"):
        return half(value) if form == "fp16" else bfloat(value)
    return value


Launch = Callable[[Stream, Tuple[int, ...], Dict[str, Any]], int]


class Grids(Dict[Tuple[int, ...], Dim3]):
    """Grids as the library takes them, by tuples of plain integers: what is equal to one, as 1.0 is to 1, is found as well."""

    def __missing__(self, grid: Tuple[int, ...]) -> Dim3:
        if len(self) > 4096:
            self.clear()
        x, y, z = sizes = _calls.read_grid(grid)
        if not -0x80000000 <= min(sizes) <= max(sizes) <= 0x7FFFFFFF:  # ctypes would cut it short, and launch something else
            raise OverflowError(f"a grid of {tuple(grid)} programs; {0x7FFFFFFF} are the most in a dimension")
        if min(sizes) < 0:
            if x * y * z > 0:
                raise RuntimeError(f"a grid of {tuple(grid)} programs")
            sizes = 0, 0, 0  # Triton launches nothing, and says nothing.
        made = self[grid] = Dim3(*sizes)
        return made


grids = Grids()


def make_launch(variant: Variant, words: List[Tuple[str, Any]], values: Dict[str, Any]) -> Launch:
    """A function that launches a variant: (stream, grid, values of the parameters) to a status. It is written out for
    the variant, one expression an argument, as that is what launches cost."""
    paths, constants = {}, {}
    for name, word in words:
        if word.is_constant:
            constants[name] = word.value
        for path in word.paths:
            paths[c_name(path, values[name])] = path
    space: Dict[str, Any] = {"grids": grids, "half": half, "bfloat": bfloat, "empty": EMPTY, "address": address}
    terms, argtypes = [], [Stream, ctypes.c_uint32, Dim3]
    for number, argument in enumerate(variant.function["arguments"]):
        name, form = argument["name"], argument["type"]
        form = form.replace("u1", "i1") if form == "u1" else form
        pointer = form.startswith("*")
        argtypes.append(ctypes.c_void_p if pointer else FORMS.get(form) or NUMBERS.get(form) or ctypes.c_uint8)
        path = paths.get(name) or paths.get(name.rstrip("_"))
        if path is None:
            key = name if name in constants else name.rstrip("_")
            if key not in constants:
                raise LibraryError(f"it has an argument '{name}' that the call has not")
            space[f"c{number}"] = pass_constant(form, constants[key])
            terms.append(f"c{number}")
            continue
        term = f"v[{path[0]!r}]" + "".join(step if isinstance(step, str) else f"[{step}]" for step in path[1:])
        if pointer:
            # Most are tensors, which are asked without a detour.
            plain = hasattr(_fetch(values, path), "data_ptr")
            terms.append(f"{term}.data_ptr() or empty" if plain else f"address({term})")
        elif form in ("fp16", "bf16"):
            terms.append(f"{'half' if form == 'fp16' else 'bfloat'}({term})")
        else:
            terms.append(term)
    function = getattr(variant.library.load(), variant.function["symbol"] + "_force_grid")
    # ctypes has one set of types for a function, and each variant its own function object.
    prototype = ctypes.CFUNCTYPE(ctypes.c_int, *argtypes)
    space["call"] = prototype(ctypes.cast(function, ctypes.c_void_p).value or 0)
    text = f"def launch(stream, grid, v):\n    return call(stream, {variant.number}, grids[grid], {', '.join(terms)})\n"
    exec(compile(text, f"<launch of {variant.function['name']}>", "exec"), space)
    launch: Launch = space["launch"]
    return launch


def _fetch(values: Dict[str, Any], path: Tuple[Any, ...]) -> Any:
    found: Any = values[path[0]]
    for step in path[1:]:
        found = getattr(found, step[1:]) if isinstance(step, str) else found[step]
    return found
