"""What Triton makes of a call of a kernel, the same for all versions of Triton that are known.

Triton binds a call's arguments to the kernel's parameters and finds for each what it specializes on: a type, and a
trait such as "D" (divisible by 16). That function is made by Triton for each kernel, and is its fastest way to the
answer, so it is used as it is:

    add[grid](x, y, 1000, BLOCK=64, num_warps=8)
        values   {"x": tensor, "y": tensor, "n": 1000, "BLOCK": 64}
        kinds    [("*fp32", "D"), ("*fp32", "D"), ("i32", ""), ("constexpr", 64)]
        options  {"num_warps": 8}
"""
from __future__ import annotations

import operator
from typing import Any, Callable, Dict, List, NamedTuple, Tuple

Kind = Tuple[Any, Any]


class Call(NamedTuple):
    values: Dict[str, Any]
    kinds: List[Kind]
    options: Dict[str, Any]


Binder = Callable[..., Tuple[Dict[str, Any], List[Kind], Dict[str, Any]]]


def get_driver() -> Any:
    from triton.runtime.driver import driver

    return driver.active


def make_binder(jit: Any, device: int) -> Binder:
    """The function that binds calls of a kernel on a device."""
    if hasattr(jit, "device_caches"):
        return jit.device_caches[device][-1]
    return _make_old_binder(jit)


def _make_old_binder(jit: Any) -> Binder:
    """Triton 3.2 gives the types of what is no compile-time value first, then the traits of what is specialized."""
    from triton.compiler import make_backend

    if jit.binder is None:
        jit.create_binder(make_backend(get_driver().get_current_target()))

    def bind(*args: Any, **kwargs: Any) -> Tuple[Dict[str, Any], List[Kind], Dict[str, Any]]:
        values, types_and_traits, _, _, options = jit.binder(*args, **kwargs)
        runtime = [p for p in jit.params if not p.is_constexpr]
        types = dict(zip((p.name for p in runtime), types_and_traits))
        specialized = [p for p in runtime if not p.do_not_specialize]
        traits = dict(zip((p.name for p in specialized), types_and_traits[len(runtime):]))
        kinds: List[Kind] = []
        for parameter in jit.params:
            value, name = values[parameter.name], parameter.name
            trait = traits.get(name)
            if parameter.is_constexpr or value is None or trait == "1":
                kinds.append(("constexpr", value))
            else:
                kinds.append((types[name], trait))
        return values, kinds, options

    return bind


def bind(jit: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any], device: int) -> Call:
    values, kinds, options = make_binder(jit, device)(*args, **kwargs)
    return Call(values, list(kinds), dict(options))


def read_grid(grid: Any) -> Tuple[int, int, int]:
    """A grid's sizes as Triton reads them: the first three, of anything that has a length and can be asked by number."""
    assert grid is not None
    count = len(grid)
    sizes = grid[0], grid[1] if count > 1 else 1, grid[2] if count > 2 else 1
    return tuple(map(operator.index, sizes))  # type: ignore[return-value]


def is_debugging(jit: Any, options: Dict[str, Any]) -> bool:
    """Whether assertions are compiled, as the call, the kernel or the environment says."""
    if options.get("debug") or getattr(jit, "debug", None):
        return True
    try:
        from triton import knobs
    except ImportError:
        import os

        return os.environ.get("TRITON_DEBUG", "0") == "1"
    return bool(knobs.runtime.debug)


def hooks_owner() -> Any:
    """Where `launch_enter_hook` and `launch_exit_hook` are, which profilers set."""
    try:
        from triton import knobs

        return knobs.runtime
    except ImportError:
        from triton.compiler import CompiledKernel

        return CompiledKernel


def has_hook(hook: Any) -> bool:
    """Whether there is something to call: newer versions have a list, older ones a function or None."""
    return bool(hook.calls if hasattr(hook, "calls") else hook)


def is_gluon(jit: Any) -> bool:
    ask = getattr(jit, "is_gluon", None)
    return bool(ask and ask())


def wrap_tuners(wrap: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Puts something around `run` of autotuners: Triton's, and those that packages derive from it, also later."""
    from triton.runtime.autotuner import Autotuner

    def visit(tuner: Any) -> None:
        if "run" in vars(tuner):
            tuner.run = wrap(vars(tuner)["run"])

    classes = [Autotuner]
    for one in classes:
        classes += [other for other in one.__subclasses__() if other not in classes]
    for one in classes:
        visit(one)
    begin = Autotuner.__init_subclass__

    def derived(cls: Any, **kwargs: Any) -> None:
        begin(**kwargs)
        visit(cls)

    Autotuner.__init_subclass__ = classmethod(derived)  # type: ignore[assignment]


def tuning_key(tuner: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Tuple[Any, ...]:
    """The key under which Triton's own autotuner keeps the winner for a call."""
    named = {**dict(zip(tuner.arg_names, args)), **kwargs}
    given = {name: value for name, value in named.items() if name in tuner.arg_names}
    key = [given[name] for name in tuner.keys if name in given]
    key += [str(value.dtype) for value in given.values() if hasattr(value, "dtype")]
    return tuple(key)


def settings_of(config: Any) -> Dict[str, Any]:
    """What an autotuner's configuration sets: compile-time values and options. Versions of Triton differ in which options
    they name that nobody has set."""
    unset = {"num_ctas": 1, "num_buffers_warp_spec": 0, "num_consumer_groups": 0, "reg_dec_producer": 0, "reg_inc_consumer": 0}
    return {name: value for name, value in config.all_kwargs().items()
            if value is not None and not (name in unset and value == unset[name])}


def find_jit(function: Any) -> Any:
    """The kernel under autotune, heuristics and the like; None if there is none."""
    from triton.runtime.jit import JITFunction

    while function is not None and not isinstance(function, JITFunction):
        function = getattr(function, "fn", None)
    return function
