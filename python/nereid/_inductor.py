"""Kernels of torch.compile. PyTorch's compiler writes them to files, compiles them by `triton.compile`, in processes of its
own as well, and launches them by itself; what it launches, and how, its CachingAutotuner knows.

They are recorded as any others. When they are served, `triton.compile` gives what libraries have (_compilations.py), and two things
are left to be done here: of several configurations only those are compiled that libraries have, so that nothing is measured
again; and such kernels are not sent to other processes, as there is nothing to wait for. What PyTorch chooses before there is a
kernel is the subject of _selections.py.
"""
from __future__ import annotations

import copy
import sys
import threading
import time
from typing import Any, Dict, List, Tuple

from nereid import _calls, _compilations, _selections, _startup

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


def key_of(tuner: Any) -> List[str]:
    """Under what a tuner's choice is kept: the same kernel may be in several graphs, for other sizes."""
    return ["torch.compile", repr(getattr(tuner, "size_hints", None))]


def settings_of(config: Any) -> Dict[str, Any]:
    return {**config.kwargs, "num_warps": config.num_warps, "num_stages": config.num_stages}


def install(recorder: Any) -> None:
    noted: set = set()

    def note_winner(tuner: Any, entry: Any) -> None:
        """The configuration that it came to, which may be none of those that it began with: registers and coordinate descent lead
        to others."""
        made, key = entry.specialization, key_of(tuner)
        if (made.identity, *key) in noted:
            return
        noted.add((made.identity, *key))
        settings = {name: value if isinstance(value, (int, float, str, bool)) else repr(value)
                    for name, value in settings_of(tuner.launchers[0].config).items()}
        with recorder.lock:
            recorder.journal.write({"event": "winner", "source": made.source.digest, "key": key, "values": {}, "settings": settings,
                                    "specializations": [made.identity], "seconds": None})

    def wrap() -> None:
        tuner_class = sys.modules[TUNERS].CachingAutotuner  # type: ignore[attr-defined]
        run = tuner_class.run

        def recorded(self: Any, *args: Any, **kwargs: Any) -> Any:
            begin = time.perf_counter()
            result = run(self, *args, **kwargs)
            if recorder.is_open and not recorder.state.trying and not kwargs.get("benchmark_run") and len(self.launchers) == 1:
                seconds = time.perf_counter() - begin
                try:
                    reload_function(self)
                    call, grid = call_of(self, args)
                    entry = recorder.find_entry(self.fn, call)
                    if entry is not None:
                        recorder.note(entry, call, grid, seconds, set())
                        note_winner(self, entry)
                except Exception as problem:  # Recording must not stop a program that runs.
                    recorder.complain(problem)
            return result

        tuner_class.run = recorded

    _startup.when_imported(TUNERS, wrap)
    _selections.record(recorder)


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

    def find_winner(tuner: Any) -> List[Any]:
        """What the recording came to, if libraries know."""
        for settings in session.find_settings(tuner.fn, key_of(tuner)) if tuner.configs else ():
            for config in tuner.configs:
                if settings_of(config) == settings:
                    return [config]
            config = copy.deepcopy(tuner.configs[0])
            config.num_warps, config.num_stages = settings["num_warps"], settings["num_stages"]
            config.kwargs = {name: value for name, value in settings.items() if name not in ("num_warps", "num_stages")}
            return [config]
        return []

    def find_configs(tuner: Any) -> List[Any]:
        """The winner, otherwise all that libraries have."""
        return look_for(tuner, find_winner(tuner)) or look_for(tuner, tuner.configs or ())

    def look_for(tuner: Any, configs: Any) -> List[Any]:
        found = []
        for config in configs:
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
            if not self.compile_results and self.configs:
                found = find_configs(self)
                if len(found) == 1:  # So nothing is looked for that might be faster than that.
                    found[0].found_by_coordesc = True
                    self.inductor_meta = {**self.inductor_meta, "dynamic_scale_rblock": False}
                self.configs = found or self.configs
            return prepare(self)

        def choose_known(tuner: Any, launchers: Any) -> Any:
            """Of code that is there already, as from PyTorch's caches, that of the winner."""
            try:
                reload_function(tuner)
                wanted = session.find_settings(tuner.fn, key_of(tuner))
            except Exception:
                return None
            for launcher in launchers:
                if settings_of(launcher.config) in wanted:
                    launcher.config.found_by_coordesc = True
                    return launcher
            return None

        def tune_served(self: Any, *args: Any, **kwargs: Any) -> Any:
            launcher = choose_known(self, self.launchers)
            if launcher is None:
                return tune(self, *args, **kwargs)
            self.launchers = [launcher]
            return None

        def descend_served(self: Any, launcher: Any, *args: Any, **kwargs: Any) -> Any:
            return launcher if choose_known(self, [launcher]) is launcher else descend(self, launcher, *args, **kwargs)

        tuner_class._precompile_worker = prepare_served
        tune, descend = getattr(tuner_class, "autotune_to_one_config", None), getattr(tuner_class, "coordinate_descent_tuning", None)
        if tune is not None:
            tuner_class.autotune_to_one_config = tune_served
        if descend is not None:
            tuner_class.coordinate_descent_tuning = descend_served

    def wrap_processes() -> None:
        module: Any = sys.modules[PROCESSES]
        load = getattr(module, "_load_triton_kernel_from_source", None)
        compile, asks = module.AsyncCompile.triton, getattr(module.AsyncCompile, "use_process_pool", None)
        if load is None or asks is None:
            return

        def compile_served(self: Any, kernel_name: str, source_code: str, *args: Any, **kwargs: Any) -> Any:
            thread.missing = None
            tuner = load(kernel_name, source_code)  # which may be there, and compiled, already
            thread.stays_here = bool(getattr(tuner, "compile_results", None) or find_configs(tuner))
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
    _selections.serve(session)
