"""Has `triton.compile` take code from libraries, for whoever compiles and launches kernels by himself, as PyTorch's compiler does.

Such a program hands over a kernel, types and options, gets a CompiledKernel, and launches that by Triton's launcher or one
of its own. If a library has that specialization, it gets one as well: made of the machine code in the library, so that
neither Triton's passes nor ptxas run, and all that a program does with a CompiledKernel works. The code has to be all that a launch
needs, as Triton's launchers pass the kernel's arguments and nothing of Nereid's.
"""
from __future__ import annotations

import hashlib
import json
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from nereid import _calls, _library, _specializations
from nereid._specializations import NotExpressible

Compile = Callable[..., Any]


def call_of(jit: Any, signature: Dict[str, Any], constants: Dict[Any, Any], traits: Any, options: Dict[str, Any]) -> _calls.Call:
    """What is compiled, in the words of a call; values are those of constants alone."""
    if not isinstance(traits, dict):
        raise NotExpressible(f"traits of the type {type(traits).__name__}")
    names = [parameter.name for parameter in jit.params]
    values: Dict[str, Any] = dict.fromkeys(names)
    for key, value in constants.items():
        path = (key,) if isinstance(key, str) else key
        if len(path) != 1:
            raise NotExpressible("a constant within a tuple")
        values[path[0] if isinstance(path[0], str) else names[path[0]]] = value
    divisible = {path[0] for path, found in traits.items() if ["tt.divisibility", 16] in map(list, found)}
    kinds: List[_calls.Kind] = []
    for number, name in enumerate(names):
        kind = signature.get(name, "constexpr")
        if not isinstance(kind, str) or kind.startswith(("tensordesc", "nvTmaDesc")):
            raise NotExpressible("a tuple or descriptor that is compiled for without a launch")
        kinds.append(("constexpr", values[name]) if kind == "constexpr" else (kind, "D" if number in divisible else ""))
    return _calls.Call(values, kinds, options)


def readings(backend: Any, source: Any, options: Dict[str, Any]) -> Iterator[_calls.Call]:
    """What a compilation may have been recorded as: who compiles tells options that a launch leaves to Triton."""
    defaults = vars(backend.parse_options({}))
    told = {name: value for name, value in options.items()
            if name in ("num_warps", "num_stages", "debug") or name not in defaults or value != defaults[name]}
    yield call_of(source.fn, source.signature, source.constants, source.attrs, told)
    if told.get("num_stages") == defaults.get("num_stages"):
        told = {name: value for name, value in told.items() if name != "num_stages"}
        yield call_of(source.fn, source.signature, source.constants, source.attrs, told)


def choose_code(description: Dict[str, Any], target: Any) -> Dict[str, Any]:
    """Of a variant's machine code that for a device, or the nearest older one whose code it runs."""
    best: Optional[Tuple[int, Dict[str, Any]]] = None
    for code in description["targets"]:
        backend, _, arch = code["target"].partition(":")
        if backend != target.backend or "kept_image" not in code:
            continue
        rank = 0
        if backend == "hip":
            rank = int(arch == target.arch)
        else:
            number, suffix = int(arch.rstrip("af")), arch[-1]
            runs = number == target.arch if suffix == "a" else number // 10 == target.arch // 10 and number <= target.arch
            rank = (number * 4 + (2 if suffix == "a" else 1 if suffix == "f" else 0)) * runs
        if rank and (best is None or rank > best[0]):
            best = rank, code
    if best is None:
        raise _library.LibraryError(f"the library has no machine code for {target.backend}:{target.arch}")
    if best[1].get("scratch_bytes") or best[1].get("tensor_maps"):
        raise _library.LibraryError("it needs more than its arguments, which only launches by the library give it")
    return best[1]


def make_kernel(compiled: Any, source: Any, backend: Any, options: Dict[str, Any], code: Dict[str, Any], image: bytes) -> Any:
    """A CompiledKernel as Triton would make it. Its files go where Triton keeps such, as others look for them there, under
    a name that Triton's own compilations do not have."""
    from triton import __version__
    from triton.runtime.cache import get_cache_manager

    name = code["kept_image"]["kernel"]
    warps = code["num_warps"] + code.get("num_worker_warps", 0)
    metadata = {
        **vars(backend.parse_options({**options, **source.parse_options()})), "target": backend.target, "name": name,
        "triton_version": __version__, "num_warps": warps, "num_ctas": code.get("num_ctas", 1), "shared": code["shared_bytes"],
        "tmem_size": 0, "global_scratch_size": 0, "global_scratch_align": 1, "profile_scratch_size": 0, "profile_scratch_align": 1,
        "tensordesc_meta": []}
    if "cluster_dims" in metadata:
        metadata["cluster_dims"] = (metadata["num_ctas"], 1, 1)
    text = json.dumps(metadata, default=vars, sort_keys=True)
    function = source.fn.__name__  # by which PyTorch's own launcher looks for the file at first; later by the kernel's name
    digest = hashlib.sha256(f"nereid\0{code['kept_image']['sha256']}\0{function}\0{text}".encode()).hexdigest()
    manager = get_cache_manager(digest)
    names = f"{name[:150]}.json", f"{function[:150]}.{backend.binary_ext}", f"{name[:150]}.{backend.binary_ext}"
    group = manager.get_group(names[0])
    if not group:
        text = json.dumps({**metadata, "hash": digest}, default=vars)
        manager.put(image, names[2])
        group = {names[0]: manager.put(text, names[0], binary=False), names[1]: manager.put(image, names[1])}
        manager.put_group(names[0], group)
    made = compiled(source, group, digest)
    made.__dict__["_nereid_given"] = True
    return made


class Missing(Exception):
    """No library has what is to be compiled: what that is, and why not."""


class Compilations:
    """What is found for programs that compile by themselves, and how often."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self.given = 0
        self.original: Optional[Compile] = None

    def find(self, source: Any, backend: Any, options: Dict[str, Any]) -> Tuple[Dict[str, Any], bytes]:
        """A variant's code as its library describes it, and the machine code itself."""
        wanted, reason = "", ""
        try:
            for call in readings(backend, source, options):
                made = _specializations.specialize(source.fn, call, self.session.write_source)
                wanted = wanted or made.text
                for library in self.session.libraries:
                    variant = library.variants.get(made.identity)
                    if variant is None:
                        continue
                    try:
                        code = choose_code(variant.description, backend.target)
                        return code, library.read_image(code["kept_image"])
                    except _library.LibraryError as problem:
                        reason = str(problem)
                reason = reason or self.session.why_missing(made)
        except NotExpressible as problem:
            reason = str(problem)
        raise Missing(wanted, reason)

    def look(self, source: Any, target: Any, options: Dict[str, Any]) -> Tuple[Any, Dict[str, Any], bytes]:
        """The compiler's back end, and what `find` finds; raises Missing."""
        from triton.compiler import make_backend

        backend = make_backend(target or _calls.get_driver().get_current_target())
        with self.session.lock:
            return (backend, *self.find(source, backend, options))

    def compile(self, source: Any, target: Any, options: Dict[str, Any]) -> Any:
        """A CompiledKernel, or None, with the reason written down."""
        from triton.compiler import CompiledKernel

        try:
            backend, code, image = self.look(source, target, options)
        except Missing as missing:
            with self.session.lock:
                self.session.miss(source.fn, *missing.args)
            return None
        self.given += 1
        return make_kernel(CompiledKernel, source, backend, options, code, image)

    def install(self) -> None:
        import triton
        from triton.compiler import compiler

        self.original = original = compiler.compile

        def compile(src: Any, target: Any = None, options: Any = None, *args: Any, **kwargs: Any) -> Any:
            made = None
            if isinstance(src, compiler.ASTSource) and not _calls.is_gluon(src.fn):
                made = self.compile(src, target, dict(options or {}))
            return original(src, target, options, *args, **kwargs) if made is None else made

        for module in (compiler, triton.compiler, triton):
            module.compile = compile  # type: ignore[attr-defined]
