"""Kernels of torch.compile, recorded. PyTorch's compiler writes them to files, compiles and launches them by itself; what it
launches, and how, its CachingAutotuner knows. They are recorded as any others; they cannot be served, as they do not go
through Triton's JIT."""
from __future__ import annotations

import sys
import time
from typing import Any, Dict, List, Tuple

from nereid import _calls, _startup

MODULE = "torch._inductor.runtime.triton_heuristics"


def call_of(tuner: Any, args: Tuple[Any, ...]) -> Tuple[_calls.Call, Any]:
    """What a launch is in Triton's words, and its grid."""
    config = tuner.launchers[0].config
    jit, meta = tuner.fn, tuner.triton_meta
    signature: Dict[str, str] = meta["signature"]
    constants = {key if isinstance(key, str) else jit.params[key[0]].name: value for key, value in meta.get("constants", {}).items()}
    divisible = {path[0] for path, traits in meta["configs"][0].items() if ["tt.divisibility", 16] in [list(t) for t in traits]}
    given = [p.name for p in jit.params if not p.is_constexpr and p.name in signature]
    values: Dict[str, Any] = {**constants, **dict(zip(given, args)), **config.kwargs}
    kinds: List[_calls.Kind] = []
    for number, parameter in enumerate(jit.params):
        name = parameter.name
        kind = signature.get(name, "constexpr")
        if kind == "constexpr":
            values[name] = constants[name] if name in constants else values[name]
            kinds.append(("constexpr", values[name]))
        else:
            kinds.append((kind, "D" if number in divisible else ""))
    options = {"num_warps": config.num_warps, "num_stages": config.num_stages}
    ordered = {parameter.name: values[parameter.name] for parameter in jit.params}
    return _calls.Call(ordered, kinds, options), tuner._interpret_args_grid(args, config)[1]


def install(recorder: Any) -> None:
    def wrap() -> None:
        tuner_class = sys.modules[MODULE].CachingAutotuner  # type: ignore[attr-defined]
        run = tuner_class.run

        def recorded(self: Any, *args: Any, **kwargs: Any) -> Any:
            begin = time.perf_counter()
            result = run(self, *args, **kwargs)
            if recorder.is_open and not kwargs.get("benchmark_run") and len(self.launchers) == 1:
                seconds = time.perf_counter() - begin
                try:
                    call, grid = call_of(self, args)
                    entry = recorder.find_entry(self.fn, call)
                    if entry is not None:
                        recorder.note(entry, call, grid, seconds, set())
                except Exception as problem:  # Recording must not stop a program that runs.
                    recorder.complain(problem)
            return result

        tuner_class.run = recorded

    _startup.when_imported(MODULE, wrap)
