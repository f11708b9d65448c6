"""Launches of Triton's kernels from libraries, in place of the JIT.

Each kernel gets a `run` of its own. It binds a call as Triton does, and looks up what it found for calls of that kind
before: a function that launches the library's variant. What is new is looked for by its identity, the digest of the
kernel's source with all that it uses, the signature and the options; so a library never runs for a kernel that has
changed since. What no library has goes to Triton, and is told at the end.
"""
from __future__ import annotations

import os
import sys
import threading
import time
import types
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from nereid import _calls, _compilations, _inductor, _library, _sources, _specializations, _startup
from nereid._library import Library, LibraryError, Stream, Variant

Run = Callable[..., Any]


class NotInLibrary(RuntimeError):
    """A launch that only Triton's compiler could make, where that is not to run."""


class Served:
    """What a launch returns in place of Triton's CompiledKernel, with as much of that as programs ask for."""

    def __init__(self, session: "Session", jit: Any, variant: Variant, launch: _library.Launch,
                 specialization: _specializations.Specialization) -> None:
        self.session, self.jit, self.variant, self.launch = session, jit, variant, launch
        self.specialization = specialization
        self.launches = self.failures = 0
        self.name = variant.function["name"]
        self.hash = specialization.identity
        self.function = self.module = self.packed_metadata = None
        self.asm: Dict[str, Any] = {}

    def code(self) -> Dict[str, Any]:
        """The description of the code for the device that there is."""
        targets = self.variant.description["targets"]
        wanted = self.session.target_prefix()
        fitting = [code for code in targets if code["target"] == wanted or code["target"] == wanted + "a"]
        same = [code for code in targets if code["target"].split(":")[0] == wanted.split(":")[0]]
        found: Dict[str, Any] = (fitting or same or targets)[0]
        return found

    @property
    def metadata(self) -> Any:
        code = self.code()
        return types.SimpleNamespace(
            name=self.name, num_warps=code.get("num_warps", 1), num_stages=code.get("num_stages", 1),
            num_ctas=code.get("num_ctas", 1), shared=code.get("shared_bytes", 0), target=self.session.target(),
            warp_size=code.get("warp_size", 1), maxnreg=code.get("maxnreg"), hash=self.hash)

    @property
    def n_regs(self) -> int:
        return int(self.code().get("registers", 0))

    @property
    def n_spills(self) -> int:
        return int(self.code().get("spilled_bytes", 0)) // 4

    @property
    def n_max_threads(self) -> int:
        return 1024

    def _init_handles(self) -> None:
        pass

    def result(self) -> "Served":
        return self

    def __getitem__(self, grid: Any) -> Callable[..., None]:
        """A launch of just this specialization, as of what `warmup` returns."""
        names = [parameter.name for parameter in self.jit.params]
        if len(names) and not hasattr(self.jit, "device_caches"):
            names = [parameter.name for parameter in self.jit.params if not parameter.is_constexpr]

        def run(*args: Any, stream: Any = None) -> None:
            values = dict(zip(names, args))
            self.session.launch_or_fail(self, _calls.read_grid((grid[0], grid[1], grid[2])), values, stream)

        return run

    def run(self, x: int, y: int, z: int, stream: Any, function: Any, metadata: Any, launch_metadata: Any, enter: Any,
            leave: Any, *args: Any) -> None:
        self.session.launch_or_fail(self, _calls.read_grid((x, y, z)), dict(zip((p.name for p in self.jit.params), args)), stream)

    def launch_metadata(self, grid: Any, stream: Any, *args: Any) -> None:
        return None


class _Winners(Dict[Any, Any]):
    """An autotuner's memory, which also knows the winners that a library has. What is not there is measured."""

    def __init__(self, session: "Session", tuner: Any, known: Dict[Any, Any]) -> None:
        super().__init__(known)
        self.session, self.tuner = session, tuner

    def __contains__(self, key: Any) -> bool:
        if super().__contains__(key):
            return True
        config = self.session.find_winner(self.tuner, key)
        if config is None:
            return False
        self[key] = config
        return True


class Session:
    """What is served in this process."""

    def __init__(self) -> None:
        self.libraries: List[Library] = []
        self.device: Optional[str] = None
        self.strict = False
        self.quiet = False
        self.lock = threading.RLock()
        self.streams: Dict[Any, Stream] = {}
        self.served: List[Served] = []
        self.missing: Dict[str, Tuple[str, str, int]] = {}  # a launch that Triton made: of what, why, how often
        self.untuned: Dict[str, int] = {}
        self.sources: Dict[Any, _sources.Source] = {}
        self.kept: List[Any] = []  # so that no id is used twice
        self.installed = False
        self.has_recordable = False  # whether some of them can be recorded
        self.fallbacks = 0  # launches that were left to Triton
        self.original: Optional[Run] = None
        self.compilations = _compilations.Compilations(self)

    # -- the device ---------------------------------------------------------------------------------------------------
    def target(self) -> Any:
        return _calls.get_driver().get_current_target()

    def place(self) -> Tuple[str, Any]:
        """What kind of device launches go to, and which of that kind."""
        if self.device == "cpu":
            return "cpu", ""
        target = self.target()
        return target.backend, target.arch

    def target_prefix(self) -> str:
        return ":".join(map(str, self.place())).rstrip(":")

    def make_stream(self, handle: Any) -> Stream:
        backend = "cpu" if self.device == "cpu" else self.target().backend
        made = self.streams[handle] = Stream(_library.BACKENDS.get(backend, 1), handle or None)
        return made

    # -- what there is ------------------------------------------------------------------------------------------------
    def write_source(self, jit: Any, extras: Any = ()) -> _sources.Source:
        key = (id(jit), tuple(map(id, extras)))
        source = self.sources.get(key)
        if source is None or any(owner.get(name) is not value for owner, name, value in source.watched):
            source = self.sources[key] = _sources.write_source(jit, extras)
            self.kept.append((jit, extras))
        return source

    def find(self, jit: Any, values: Dict[str, Any], kinds: Any, options: Dict[str, Any]) -> Optional[Served]:
        """What runs calls of a kind; None, with the reason written down, if no library has it."""
        call = _calls.Call(values, list(kinds), options)
        try:
            made = _specializations.specialize(jit, call, self.write_source)
        except _specializations.NotExpressible as problem:
            self.miss(jit, "", str(problem), is_recordable=False)
            return None
        reason = ""
        for library in self.libraries:
            variant = library.variants.get(made.identity)
            if variant is None:
                continue
            if not _library.may_run_on(variant.description, *self.place()):
                reason = f"the library has no code for {self.target_prefix()}"
                continue
            try:
                launch = _library.make_launch(variant, made.words, values)
            except LibraryError as problem:
                reason = str(problem)
                continue
            served = Served(self, jit, variant, launch, made)
            self.served.append(served)
            return served
        self.miss(jit, made.text, reason or self.why_missing(made))
        return None

    def why_missing(self, made: _specializations.Specialization) -> str:
        if any(made.source.digest in library.sources for library in self.libraries):
            return "this specialization was not recorded, or left out of the library"
        if any(made.source.kernel == variant.description["kernel"] for library in self.libraries
               for variant in library.variants.values()):
            return "the kernel or what it uses has changed since"
        return "the kernel was not recorded, or left out of the library"

    def miss(self, jit: Any, signature: str, reason: str, is_recordable: bool = True) -> None:
        name = f"{jit.fn.__module__}.{jit.fn.__qualname__}"
        text = f"{name}({signature})" if signature else name
        _, _, count = self.missing.get(text, ("", "", 0))
        self.missing[text] = (text, reason, count + 1)
        self.has_recordable |= is_recordable
        if self.strict:
            raise NotInLibrary(f"{text}: {reason}")

    def find_settings(self, jit: Any, key: Sequence[str]) -> List[Dict[str, Any]]:
        """What a tuner's winner was for a key, as each library knows it."""
        try:
            digest = self.write_source(jit).digest
        except Exception:
            return []
        found = [library.winners.get(digest, {}).get(tuple(key)) for library in self.libraries]
        return [settings for settings in found if settings is not None]

    def find_winner(self, tuner: Any, key: Any) -> Any:
        jit = _calls.find_jit(tuner)
        if jit is None:
            return None
        for settings in self.find_settings(jit, [repr(item) for item in (key if isinstance(key, tuple) else (key, ))]):
            for config in tuner.configs:
                mine = {name: value if isinstance(value, (int, float, str, bool)) else repr(value)
                        for name, value in _calls.settings_of(config).items()}
                if mine == settings:
                    return config
        name = f"{jit.fn.__module__}.{jit.fn.__qualname__}"
        self.untuned[name] = self.untuned.get(name, 0) + 1
        return None

    # -- launches -----------------------------------------------------------------------------------------------------
    def launch(self, served: Served, grid: Tuple[int, ...], values: Dict[str, Any], stream: Any) -> int:
        """The long way, with everything that may be there to be done."""
        if stream is None:
            driver = _calls.get_driver()
            stream = driver.get_current_stream(driver.get_current_device())
        for name, word in served.specialization.words:
            values.setdefault(name, word.value)
        owner, told = _calls.hooks_owner(), _Metadata(served, stream)
        if _calls.has_hook(owner.launch_enter_hook):
            owner.launch_enter_hook(told)
        status = served.launch(self.streams.get(stream) or self.make_stream(stream), grid, values)
        if status == _library.INVALID_ARGUMENT:
            status = self.launch_on_new_thread(served, grid, values, stream)
        if _calls.has_hook(owner.launch_exit_hook):
            owner.launch_exit_hook(told)
        if not status:
            served.launches += 1
        return status

    def launch_on_new_thread(self, served: Served, grid: Tuple[int, ...], values: Dict[str, Any], stream: Any) -> int:
        """The default stream is that of the thread's context, and a thread has none before its first work on the device,
        autograd's for instance. Setting the device makes that current. Nothing has run yet."""
        driver = _calls.get_driver()
        driver.set_current_device(driver.get_current_device())
        return served.launch(self.streams.get(stream) or self.make_stream(stream), grid, values)

    def launch_or_fail(self, served: Served, grid: Tuple[int, ...], values: Dict[str, Any], stream: Any) -> None:
        status = self.launch(served, grid, values, stream)
        if status:
            self.fail(served, status)

    def fail(self, served: Served, status: int) -> None:
        raise RuntimeError(served.variant.library.last_error(served.variant))  # which begins with the function's name

    def make_run(self, jit: Any) -> Run:
        """A kernel's `run` while it is served."""
        session, original = self, self.original
        assert original is not None
        binders: Dict[int, _calls.Binder] = {}
        table: Dict[Any, Optional[Served]] = {}
        constexprs = tuple(parameter.name for parameter in jit.params if parameter.is_constexpr)
        watched: List[Tuple[Dict[str, Any], str, Any]] = []
        streams, hooks, has_hook = self.streams, _calls.hooks_owner(), _calls.has_hook
        from triton.runtime.driver import driver as drivers

        def find(key: Any, device: int, values: Dict[str, Any], kinds: Any, options: Dict[str, Any]) -> Optional[Served]:
            with session.lock:
                served = session.find(jit, values, kinds, options)
                try:
                    table[key] = served
                except TypeError:
                    pass  # A value that has no hash is looked up each time.
                watched[:] = [item for (owner, _), source in session.sources.items() if owner == id(jit)
                              for item in source.watched]
                return served

        def run(*args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> Any:
            driver = drivers.active
            device = driver.get_current_device()
            bind = binders.get(device)
            if bind is None:
                bind = binders[device] = _calls.make_binder(jit, device)
                if hasattr(jit, "compile"):
                    jit.compile = session.compilations.original  # for what is found missing here
            values, kinds, options = bind(*args, **kwargs)
            for owner, name, value in watched:
                if owner.get(name) is not value:
                    table.clear()
                    break
            try:
                key = (device, *kinds, *options.items(), *[values[name].__class__ for name in constexprs])
                served = table.get(key, session)
            except TypeError:
                key, served = [], session
            if served is session:
                served = find(key, device, values, kinds, options)
            if served is None:
                session.note_miss(jit)
                return original(jit, *args, grid=grid, warmup=warmup, **kwargs)
            if jit.pre_run_hooks:
                for hook in jit.pre_run_hooks:
                    hook(*args, **kwargs)
            if warmup:
                return served
            if callable(grid):
                grid = grid(values)
            if grid.__class__ is not tuple:
                grid = _calls.read_grid(grid)
            for size in grid:
                if size.__class__ is not int:  # 1.0 would be found as 1, and a tensor of one number as what it was before.
                    grid = _calls.read_grid(grid)
                    break
            if has_hook(hooks.launch_enter_hook) or has_hook(hooks.launch_exit_hook):
                status = session.launch(served, grid, values, None)
                if not status:
                    return served
            else:
                handle = driver.get_current_stream(device)
                status = served.launch(streams.get(handle) or session.make_stream(handle), grid, values)
                if status == _library.INVALID_ARGUMENT:
                    status = session.launch_on_new_thread(served, grid, values, handle)
            if status:
                if status not in _library.NOTHING_RAN:
                    session.fail(served, status)
                # The library has no code for this device, or the variant's condition does not hold.
                with session.lock:
                    session.miss(jit, served.specialization.signature,
                                 served.variant.library.last_error(served.variant).split(";")[0])
                    session.note_miss(jit)
                    served.failures += 1
                    if served.failures > 2:
                        table[key] = None
                return original(jit, *args, grid=grid, warmup=warmup, **kwargs)
            served.launches += 1
            return served

        return run

    def note_miss(self, jit: Any) -> None:
        self.fallbacks += 1

    # -- in place of Triton's functions ------------------------------------------------------------------------------
    def install(self) -> None:
        if self.installed:
            return
        self.installed = True
        from triton.runtime.jit import JITFunction

        self.original = JITFunction.run
        session = self

        def run(jit: Any, *args: Any, **kwargs: Any) -> Any:
            if _calls.is_gluon(jit):
                return session.original(jit, *args, **kwargs)  # type: ignore[misc]
            made = session.make_run(jit)
            jit.run = made
            return made(*args, **kwargs)

        def tuned(tune: Run) -> Run:
            def with_winners(tuner: Any, *args: Any, **kwargs: Any) -> Any:
                if isinstance(tuner.cache, dict) and not isinstance(tuner.cache, _Winners):
                    tuner.cache = _Winners(session, tuner, tuner.cache)
                return tune(tuner, *args, **kwargs)

            return with_winners

        JITFunction.run = run
        _calls.wrap_tuners(tuned)
        self.compilations.install()
        _inductor.serve(self)
        if self.device == "cpu":
            _serve_on_cpu(next((one.multiprocessors for one in self.libraries if one.multiprocessors), None) or os.cpu_count() or 1)
        else:
            _make_driver_lazy()
        if not self.quiet:
            _startup.at_end(self.report)
        os.register_at_fork(after_in_child=self.begin_in_child)

    def begin_in_child(self) -> None:
        """A process that was forked tells at its end what it did itself."""
        self.lock = threading.RLock()
        self.missing.clear()
        self.untuned.clear()
        self.has_recordable = False
        self.fallbacks = self.compilations.given = 0
        for served in self.served:
            served.launches = 0
        if not self.quiet:
            _startup.at_end(self.report)

    def report(self) -> None:
        """What came from libraries, and what did not."""
        if str(getattr(sys.modules["__main__"].__spec__, "name", "")).startswith("torch._inductor.compile_worker"):
            return  # Of what PyTorch sends there its own process tells.
        launches = sum(served.launches for served in self.served)
        if not launches and not self.missing and not self.compilations.given:
            return  # A process that launches nothing, as a program has several.
        names = ", ".join(os.path.basename(library.path) for library in self.libraries)
        ran = len({served.hash for served in self.served if served.launches})  # A kernel may be made several times.
        lines = [f"nereid.serve: {launches} launches of {ran} specializations came from {names}"]
        if self.compilations.given:
            lines.append(f"nereid.serve: so did the code of {self.compilations.given} compilations that the program made itself")
        if self.missing:
            lines.append(f"nereid.serve: {len(self.missing)} specializations, {self.fallbacks} launches, were left to Triton:")
            shown = list(self.missing.values())[:20]
            lines += [f"  {text}: {reason}" for text, reason, _ in shown]
            if len(self.missing) > len(shown):
                lines.append(f"  and {len(self.missing) - len(shown)} more")
            if self.has_recordable and not os.environ.get("NEREID_RECORD"):
                lines.append("nereid.serve: with NEREID_RECORD=FILE.json they are recorded, to be built into a library as well")
        if self.untuned:
            count = sum(self.untuned.values())
            lines.append(f"nereid.serve: {count} keys of autotuners were not recorded and were measured: " +
                         ", ".join(sorted(self.untuned)))
        print("\n".join(lines), file=sys.stderr)


class _Metadata(Dict[str, Any]):
    """What profilers' hooks are given."""

    def __init__(self, served: Served, stream: Any) -> None:
        super().__init__(name=served.name, function=None, stream=stream)

    def get(self, key: Any = None, default: Any = None) -> Any:  # type: ignore[override]
        # Triton's has `get` without arguments, which gives all.
        return dict(self) if key is None else super().get(key, default)


def _serve_on_cpu(multiprocessors: int) -> None:
    """A driver for machines without a GPU: tensors lie in the host's memory, and kernels run there. Programs choose
    specializations by the number of multiprocessors, so it is that of the recording."""
    from triton.backends.compiler import GPUTarget
    from triton.runtime.driver import driver

    class HostDriver:
        def get_current_target(self) -> Any:
            return GPUTarget("cuda", 90, 32)  # As far as Triton must know one, to bind arguments.

        def get_current_device(self) -> int:
            return 0

        def set_current_device(self, device: int) -> None:
            pass

        def get_current_stream(self, device: Any = None) -> int:
            return 0

        def get_active_torch_device(self) -> Any:
            import torch

            return torch.device("cpu")

        def get_device_capability(self, device: Any = None) -> Tuple[int, int]:
            return (9, 0)

        def get_device_interface(self) -> Any:
            import torch

            return torch.cpu

        @staticmethod
        def is_active() -> bool:
            return True

        @property
        def utils(self) -> Any:
            properties = {"max_shared_mem": 232448, "max_num_regs": 65536, "multiprocessor_count": multiprocessors,
                          "warpSize": 32, "sm_clock_rate": 1, "mem_clock_rate": 1, "mem_bus_width": 64}
            return types.SimpleNamespace(get_device_properties=lambda device: properties)

        @property
        def launcher_cls(self) -> Any:
            raise NotInLibrary("on the CPU there is only what libraries have")

        def get_benchmarker(self) -> Any:
            def measure(call: Callable[[], Any], quantiles: Any = None, **_: Any) -> List[float]:
                call()
                begin = time.perf_counter()
                call()
                return [(time.perf_counter() - begin) * 1000] * 3

            return measure

    driver.set_active(HostDriver())


def _make_driver_lazy() -> None:
    """Triton compiles a small C file when it first looks for the GPU, into its cache folder. Nothing of that is needed
    here, except by programs that ask for the device's properties; so it is done when somebody does ask."""
    for place in ("nvidia", "amd"):
        try:
            module = __import__(f"triton.backends.{place}.driver", fromlist=["driver"])
        except ImportError:
            continue
        utilities = getattr(module, "CudaUtils" if place == "nvidia" else "HIPUtils", None)
        if utilities is None or "instance" in vars(utilities):
            continue  # It is made already.
        _defer(utilities, getattr(module, "CudaLauncher" if place == "nvidia" else "HIPLauncher", None),
               _cuda_properties if place == "nvidia" else None)


def _defer(utilities: Any, launcher: Any, properties: Optional[Callable[[int], Dict[str, int]]]) -> None:
    make = utilities.__init__
    launch = getattr(launcher, "__init__", None)

    def complete(self: Any) -> None:
        with _making:
            if "_nereid_made" not in self.__dict__:
                self.__dict__["_nereid_made"] = True
                make(self)

    def begin(self: Any) -> None:
        pass

    def missing(self: Any, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "get_device_properties" and properties is not None:
            return properties
        complete(self)
        return object.__getattribute__(self, name)

    def begin_launcher(self: Any, *args: Any, **kwargs: Any) -> None:
        # A launcher of Triton's, which takes for granted that all is there.
        complete(utilities())
        launch(self, *args, **kwargs)

    utilities.__init__ = begin
    utilities.__getattr__ = missing
    if launcher is not None:
        launcher.__init__ = begin_launcher


_making = threading.RLock()


def _cuda_properties(device: int) -> Dict[str, int]:
    import ctypes

    driver = ctypes.CDLL("libcuda.so.1")
    numbers = {"max_shared_mem": 97, "max_num_regs": 12, "multiprocessor_count": 16, "warpSize": 10, "sm_clock_rate": 13,
               "mem_clock_rate": 36, "mem_bus_width": 37}
    handle, value = ctypes.c_int(), ctypes.c_int()
    if driver.cuDeviceGet(ctypes.byref(handle), device) != 0:
        raise RuntimeError(f"there is no device {device}")
    found = {}
    for name, number in numbers.items():
        if driver.cuDeviceGetAttribute(ctypes.byref(value), number, handle) != 0:
            raise RuntimeError(f"the driver does not tell the device's {name}")
        found[name] = value.value
    return found


session = Session()
