"""Kernels of torch.compile. PyTorch's compiler writes them to files, compiles them by `triton.compile`, in processes of its
own as well, and launches them by itself; what it launches, and how, its CachingAutotuner knows.

They are recorded as any others. When they are served, `triton.compile` gives what libraries have (_compilations.py), and two things
are left to be done here: of several configurations only those are compiled that libraries have, so that nothing is measured
again; and such kernels are not sent to other processes, as there is nothing to wait for.
"""
from __future__ import annotations

import sys
import threading
import time
from typing import Any, Dict, List, Tuple

from nereid import _calls, _compilations, _startup

TUNERS = "torch._inductor.runtime.triton_heuristics"
PROCESSES = "torch._inductor.async_compile"
# Launchers of PyTorch's own, in place of those that Triton has a C compiler make. They take for granted that a kernel in machine code has
# the name of its function in Python.
LAUNCHERS = (("torch._inductor.runtime.static_triton_launcher", "StaticallyLaunchedTritonKernel"),
             ("torch._inductor.runtime.static_cuda_launcher", "StaticallyLaunchedCudaKernel"))


def reload_function(tuner: Any) -> None:
    """What another process has compiled comes without its function, which PyTorch reads again where it needs it."""
    if tuner.fn.fn is None:
        tuner.fn = tuner._reload_kernel().fn


def call_of(tuner: Any, args: Tuple[Any, ...]) -> Tuple[_calls.Call, Any]:
    """What a launch is in Triton's words, and its grid."""
    config = tuner.launchers[0].config
    jit, meta = tuner.fn, tuner.triton_meta
    options = {"num_warps": config.num_warps, "num_stages": config.num_stages}
    names = {parameter.name for parameter in jit.params}
    constants = {**{name: value for name, value in options.items() if name in names}, **config.kwargs, **meta.get("constants", {})}
    call = _compilations.call_of(jit, meta["signature"], constants, meta["configs"][0], options)
    given = [p.name for p in jit.params if not p.is_constexpr and p.name in meta["signature"]]
    values = {**dict(zip(given, args)), **{name: value for name, value in call.values.items() if value is not None}}
    ordered = {parameter.name: values.get(parameter.name) for parameter in jit.params}
    return call._replace(values=ordered), tuner._interpret_args_grid(args, config)[1]


def install(recorder: Any) -> None:
    def wrap() -> None:
        tuner_class = sys.modules[TUNERS].CachingAutotuner  # type: ignore[attr-defined]
        run = tuner_class.run

        def recorded(self: Any, *args: Any, **kwargs: Any) -> Any:
            begin = time.perf_counter()
            result = run(self, *args, **kwargs)
            if recorder.is_open and not kwargs.get("benchmark_run") and len(self.launchers) == 1:
                seconds = time.perf_counter() - begin
                try:
                    reload_function(self)
                    call, grid = call_of(self, args)
                    entry = recorder.find_entry(self.fn, call)
                    if entry is not None:
                        recorder.note(entry, call, grid, seconds, set())
                except Exception as problem:  # Recording must not stop a program that runs.
                    recorder.complain(problem)
            return result

        tuner_class.run = recorded

    _startup.when_imported(TUNERS, wrap)


class _Thread(threading.local):
    stays_here = False  # the kernel that it is about to have compiled
    missing: Any = None  # that kernel, and why no library has it


def source_of(tuner: Any, config: Any) -> Tuple[Any, Any, Dict[str, Any]]:
    """What a tuner has compiled for a configuration."""
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    meta: Dict[str, Any] = tuner._create_compile_meta(config)
    warp_size = sys.modules[TUNERS].cc_warp_size(meta["cc"])  # type: ignore[attr-defined]
    source = ASTSource(tuner.fn, meta["signature"], meta["constants"], meta["configs"][0])
    return source, GPUTarget(meta["device_type"], meta["cc"], warp_size), tuner._create_compile_options(config, meta)


def serve(session: Any) -> None:
    """As far as this version of PyTorch has what is looked for; otherwise it measures, and compiles in other processes."""
    thread = _Thread()

    def find_configs(tuner: Any) -> List[Any]:
        """Those that libraries have."""
        found = []
        for config in tuner.configs or ():
            try:
                source, target, options = source_of(tuner, config)
            except (AttributeError, KeyError, TypeError):
                return []
            try:
                session.compilations.look(source, target, options)
                found.append(config)
            except _compilations.Missing as missing:
                thread.missing = (tuner.fn, *missing.args)
        return found

    def wrap_launcher(launcher: Any) -> None:
        begin = launcher.__init__

        def begin_given(self: Any, kernel: Any, *args: Any, **kwargs: Any) -> None:
            begin(self, kernel, *args, **kwargs)
            if kernel.__dict__.get("_nereid_given"):
                self.name = kernel.metadata.name

        launcher.__init__ = begin_given

    def wrap_tuners() -> None:
        for module, name in LAUNCHERS:
            if hasattr(sys.modules.get(module), name):
                wrap_launcher(getattr(sys.modules[module], name))
        tuner_class = sys.modules[TUNERS].CachingAutotuner  # type: ignore[attr-defined]
        prepare = getattr(tuner_class, "_precompile_worker", None)
        if prepare is None:
            return

        def prepare_served(self: Any) -> Any:
            if not self.compile_results and len(self.configs or ()) > 1:
                self.configs = find_configs(self) or self.configs
            return prepare(self)

        tuner_class._precompile_worker = prepare_served

    def wrap_processes() -> None:
        module: Any = sys.modules[PROCESSES]
        load = getattr(module, "_load_triton_kernel_from_source", None)
        compile, asks = module.AsyncCompile.triton, getattr(module.AsyncCompile, "use_process_pool", None)
        if load is None or asks is None:
            return

        def compile_served(self: Any, kernel_name: str, source_code: str, *args: Any, **kwargs: Any) -> Any:
            thread.missing = None
            thread.stays_here = bool(find_configs(load(kernel_name, source_code)))
            try:
                return compile(self, kernel_name, source_code, *args, **kwargs)
            finally:
                thread.stays_here = False

        def use_process_pool(cls: Any) -> bool:
            if thread.stays_here or not asks():
                return False
            if thread.missing:  # The other process has nobody to tell it to.
                with session.lock:
                    session.miss(*thread.missing)
            return True

        module.AsyncCompile.triton = compile_served
        module.AsyncCompile.use_process_pool = classmethod(use_process_pool)

    _startup.when_imported(TUNERS, wrap_tuners)
    _startup.when_imported(PROCESSES, wrap_processes)
