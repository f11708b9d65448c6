"""What Triton would compile for a call, in the words of Nereid's signatures, and by a name that is the same everywhere.

    add[grid](x, y, 1000, BLOCK=64, num_warps=8)
        words     x=*fp32:16, y=*fp32:16, n=i32, BLOCK=64
        options   {"num_warps": 8}
        identity  a digest of the kernel's source with all that it needs, the words and the options

A recording and a program that is served find the same identity for the same call, whatever the machine, the version
of Triton and the place of the files; and another one as soon as the kernel, a helper or a constant has changed.
"""
from __future__ import annotations

import hashlib
import json
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from nereid import _sources
from nereid._calls import Call, is_debugging

SCALARS = ("i1", "u1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "fp16", "bf16", "fp32", "fp64")
# Options that a signature's variant has, and what each is when it is not given. num_stages differs by vendor.
OPTIONS = {"num_warps": 4, "num_stages": None, "num_ctas": 1, "maxnreg": None}
FLAGS = ("launch_cooperative_grid", "launch_pdl")
# Options that mean nothing for results, or nothing at all, when they have one of these values.
HARMLESS: Dict[str, Tuple[Any, ...]] = {
    "debug": (True, False, None), "instrumentation_mode": ("", None), "extern_libs": (None, (), {}),
    "ir_override": (None,), "enable_fp_fusion": (True, None), "sanitize_overflow": (True, False, None),
    "ptx_options": (None,), "ptx_version": (None,), "warp_size": (None, 32, 64), "launch_cooperative_grid": (True, False, None),
    "launch_pdl": (True, False, None), "num_buffers_warp_spec": (0, None), "num_consumer_groups": (0, None),
    "reg_dec_producer": (0, None), "reg_inc_consumer": (0, None), "cluster_dims": ((1, 1, 1), None)}
# Options that make code faster on some GPUs and change nothing else.
HINTS = ("waves_per_eu", "matrix_instr_nonkdim", "kpack", "schedule_hint", "allow_flush_denorm", "num_buffers_warp_spec",
         "num_consumer_groups", "reg_dec_producer", "reg_inc_consumer", "minRegAutoWS", "maxRegAutoWS", "pingpongAutoWS")


class NotExpressible(Exception):
    """Nereid has no words for a call; Triton has to compile it."""


Path = Tuple[Any, ...]  # from the kernel's arguments to a value: a parameter's name, then indices


class Word(NamedTuple):
    text: str
    paths: List[Path]  # of the run-time values, in the order of the C arguments that they become
    value: Any  # of a compile-time value
    is_constant: bool


class Specialization(NamedTuple):
    identity: str
    source: _sources.Source
    words: List[Tuple[str, Word]]  # of each parameter
    options: Dict[str, Any]
    debug: bool

    @property
    def signature(self) -> str:
        return ", ".join(f"{name}={word.text}" for name, word in self.words)

    @property
    def text(self) -> str:
        """The signature and the options."""
        return self.signature + "".join(f", {name}={value}" for name, value in self.options.items())


def unwrap_constexpr(value: Any) -> Any:
    import triton.language as tl

    while isinstance(value, tl.constexpr):
        value = value.value
    return value


def constant_text(value: Any) -> Optional[str]:
    """A compile-time value as a signature has it; None if only a name in the kernel's file can stand for it."""
    import triton.language as tl

    value = unwrap_constexpr(value)
    if value is None or isinstance(value, (bool, int)):
        return str(value)
    if isinstance(value, float):
        text = repr(float(value))
        return text if value == value and abs(value) != float("inf") else None
    if isinstance(value, str):
        escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
        if any(ord(c) < 32 and c not in escapes for c in value):
            return None
        return '"' + "".join(escapes.get(c, c) for c in value) + '"'
    if isinstance(value, tl.dtype):
        return None if value.is_ptr() else _sources.dtype_name(value)
    if type(value) is tuple:
        texts = [constant_text(item) for item in value]
        return None if None in texts else "(" + ", ".join(texts) + ("," if len(texts) == 1 else "") + ")"  # type: ignore
    if hasattr(value, "__index__"):
        return str(value.__index__())
    return None


class _Describer:
    def __init__(self) -> None:
        self.extras: List[Any] = []

    def constant(self, value: Any) -> str:
        value = unwrap_constexpr(value)
        text = constant_text(value)
        if text is None:
            if not _sources.is_callable_of_kernels(value):
                try:
                    _sources.literal(value)
                except _sources.CannotBeWritten as problem:
                    raise NotExpressible(f"the constant {value!r:.60} is {problem}") from None
            for number, other in enumerate(self.extras):
                if other is value:
                    return f"\0{number}\0"
            self.extras.append(value)
            text = f"\0{len(self.extras) - 1}\0"  # its name is known once the source is written
        return text

    def describe(self, kind: Any, trait: Any, value: Any, path: Path, is_constexpr: bool) -> Word:
        if isinstance(kind, (tuple, list)):
            fields = getattr(kind, "_fields", None) or getattr(value, "_fields", None)
            traits = trait if isinstance(trait, (tuple, list)) else [None] * len(kind)
            inner = [self.describe(kind[i], traits[i], value[i], path + (i,), is_constexpr) for i in range(len(kind))]
            texts = [word.text for word in inner]
            if fields:
                texts = [f"{field}={text}" for field, text in zip(fields, texts)]
            text = "(" + ", ".join(texts) + ("," if len(texts) == 1 and not fields else "") + ")"
            return Word(text, [p for word in inner for p in word.paths], None, False)
        if kind == "constexpr":
            if not is_constexpr and type(value) is int and value == 1:
                # Triton makes a constant of an argument that is 1; C callers pass it all the same.
                return Word("i32:1", [path], 1, False)
            return Word(self.constant(value), [], unwrap_constexpr(value), True)
        if not isinstance(kind, str):
            raise NotExpressible(f"an argument of the kind {kind!r}")
        if kind.startswith("tensordesc"):
            if getattr(value, "padding", "zero") != "zero":
                raise NotExpressible(f"a descriptor that pads with {value.padding}")
            rank = len(value.shape)
            paths = [path + (".base",)]
            paths += [path + (".shape", i) for i in range(rank)] + [path + (".strides", i) for i in range(rank - 1)]
            return Word(self.descriptor(kind), paths, None, False)
        if kind == "nvTmaDesc":
            raise NotExpressible("a descriptor that the host has encoded")
        kind = kind.replace("*k", "*")  # a pointer that the kernel only reads through
        kind = {"u1": "i1", "*u1": "*i1"}.get(kind, kind)  # Versions of Triton differ.
        text = kind + (":16" if isinstance(trait, str) and "D" in trait else "")
        if not kind.startswith("*") and kind not in SCALARS:
            raise NotExpressible(f"an argument of the type {kind}")
        return Word(text, [path], None, False)

    @staticmethod
    def descriptor(kind: str) -> str:
        # Triton adds the layout in memory where it knows one: tensordesc<fp16[64, 64],#…>.
        end = kind.index("]") + 1
        return kind[:end] + ">"


def settings_of(jit: Any, options: Dict[str, Any]) -> Dict[str, Any]:
    """What of a call's options counts."""
    parameters = {parameter.name for parameter in jit.params}
    settings: Dict[str, Any] = {}
    for name, value in sorted(options.items()):
        if name in parameters or value is None:
            continue
        if name in OPTIONS:
            if value != OPTIONS[name]:
                settings[name] = int(value)
        elif name in FLAGS:
            if value:
                settings[name] = True
        elif name in HARMLESS and any(value == other for other in HARMLESS[name]):
            continue
        elif name in HINTS:
            settings[name] = value if isinstance(value, (int, float, str, bool)) else str(value)
        elif name not in ("grid", "warmup", "stream"):
            raise NotExpressible(f"the option {name}={value!r}")
    return settings


SourceOf = Callable[[Any, Sequence[Any]], _sources.Source]


def specialize(jit: Any, call: Call, write: SourceOf = _sources.write_source) -> Specialization:
    if hasattr(jit, "is_gluon") and jit.is_gluon():
        raise NotExpressible("it is written in Gluon")
    describer = _Describer()
    words: List[Tuple[str, Word]] = []
    for parameter, (kind, trait) in zip(jit.params, call.kinds):
        name = parameter.name
        words.append((name, describer.describe(kind, trait, call.values[name], (name,), parameter.is_constexpr)))
    settings = settings_of(jit, call.options)
    debug = is_debugging(jit, call.options)
    try:
        source = write(jit, describer.extras)
    except (_sources.CannotBeWritten, OSError, SyntaxError, TypeError) as problem:
        raise NotExpressible(f"its source cannot be had: {problem}") from None
    if debug and call.options.get("sanitize_overflow") is False:
        # Nereid's assertions come with checks for overflow. Most kernels have neither.
        if any("device_assert" in text for text in source.files.values()):
            raise NotExpressible("assertions without checks for overflow")
        debug = False
    for number, name in enumerate(source.extras):
        words = [(p, word._replace(text=word.text.replace(f"\0{number}\0", name))) for p, word in words]
    text = json.dumps([1, source.digest, [f"{p}={word.text}" for p, word in words], settings, debug], sort_keys=True)
    return Specialization(hashlib.sha256(text.encode()).hexdigest()[:32], source, words, settings, debug)


def fetch(values: Dict[str, Any], path: Path) -> Any:
    """The value that a path leads to."""
    found: Any = values[path[0]]
    for step in path[1:]:
        found = getattr(found, step[1:]) if isinstance(step, str) else found[step]
    return found
