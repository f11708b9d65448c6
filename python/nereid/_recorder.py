"""Listens to Triton's JIT while a program runs.

Three places tell all that has to be known: JITFunction.run, through which every launch of a kernel goes;
Autotuner.run, behind which the winner for a key is known, and Autotuner._bench, within which launches are only tried;
and CompiledKernel.__getitem__, by which programs launch what they have compiled ahead with `warmup` or `triton.compile`.
Triton's hooks (knobs.runtime.jit_post_compile_hook, launch_enter_hook) tell neither grids nor arguments.
"""
from __future__ import annotations

import os
import sys
import threading
import time
from typing import Any, Callable, Dict, List, Optional, Tuple

from nereid import _calls, _compilations, _manifest, _recording, _sources, _specializations, _startup
from nereid._specializations import NotExpressible, Specialization

FLUSH_SECONDS = 2.0
TIMED_LAUNCHES = range(1, 9)  # of a specialization: those whose kernel is timed on the device


class _Entry:
    """What this process has seen of a specialization since it last wrote that down."""

    def __init__(self, specialization: Specialization, jit: Any) -> None:
        self.specialization = specialization
        self.jit = jit  # keeps its id from being used again
        self.seen = 0
        self.launches = 0
        self.first_launch_seconds: Optional[float] = None
        self.grids: Dict[Any, int] = {}
        self.hints: set = set()
        self.events: List[Tuple[Any, Any]] = []
        self.kernel_seconds: List[float] = []


class _Keys(Dict[Any, Any]):
    """An autotuner's memory, which remembers what it was asked for last: the key of a call, however it is made."""
    last: Any = None

    def __getitem__(self, key: Any) -> Any:
        self.last = key
        return super().__getitem__(key)


class _State(threading.local):
    trying = 0  # within an autotuner's measurements
    tuning: Optional[List[str]] = None  # identities that were launched by the autotuner that runs


class Recorder:
    def __init__(self, output: str) -> None:
        self.output = os.path.abspath(output)
        self.journal = _recording.Journal(self.output)
        self.state = _State()
        self.lock = threading.RLock()
        self.entries: Dict[Any, Any] = {}  # what calls of a kind are, or why they cannot be recorded
        self.by_identity: Dict[str, _Entry] = {}
        self.known: set = set()  # kernels by their ids
        self.kept: List[Any] = []  # so that no id is used twice
        self.sources: Dict[Any, _sources.Source] = {}
        self.written_sources: set = set()
        self.devices: set = set()
        self.winners: Dict[Any, Tuple[Any, set]] = {}
        self.refused: Dict[Tuple[str, str], int] = {}
        self.complained = False
        self.last_flush = time.monotonic()
        self.is_open = True
        _startup.at_end(self.finish)
        os.register_at_fork(after_in_child=self.begin_in_child)

    # -- processes ---------------------------------------------------------------------------------------------------
    def begin_in_child(self) -> None:
        """A forked child writes a file of its own, with what it launches itself."""
        if not self.is_open:
            return
        self.lock = threading.RLock()
        self.journal = _recording.Journal(self.output)
        self.written_sources.clear()
        self.devices.clear()
        self.entries.clear()
        self.by_identity.clear()
        self.winners.clear()
        self.refused.clear()
        _startup.at_end(self.finish)

    def finish(self) -> None:
        """Writes the manifest, of all processes that have ended and of this one."""
        if not self.is_open or self.journal.pid != os.getpid():
            return
        self.is_open = False
        try:
            try:
                self.flush()
            finally:
                self.journal.close()
            _manifest.collect(self.output, is_last=False)
        except OSError as problem:  # What has been written down before stays, for whoever collects it with more room.
            print(f"nereid.record: error: cannot write '{os.path.relpath(self.output)}': {problem.strerror}", file=sys.stderr)

    def complain(self, problem: BaseException) -> None:
        if not self.complained:
            self.complained = True
            print(f"nereid.record: a launch could not be recorded: {type(problem).__name__}: {problem}", file=sys.stderr)

    # -- launches ----------------------------------------------------------------------------------------------------
    @staticmethod
    def kind_of(jit: Any, call: _calls.Call) -> Any:
        return id(jit), repr(call.kinds), repr(sorted(call.options.items(), key=lambda item: item[0]))

    def find_entry(self, jit: Any, call: _calls.Call) -> Optional[_Entry]:
        key = self.kind_of(jit, call)
        known = self.entries.get(key)
        if isinstance(known, _Entry):
            return known
        if known is not None:
            self.refuse(jit, known)
            return None
        with self.lock:
            try:
                specialization = _specializations.specialize(jit, call, self.write_source)
            except NotExpressible as problem:
                self.entries[key] = str(problem)
                self.refuse(jit, str(problem))
                return None
            entry = self.by_identity.get(specialization.identity)
            if entry is None:
                entry = self.by_identity[specialization.identity] = _Entry(specialization, jit)
                self.write_new(entry)
            self.entries[key] = entry
            self.known.add(id(jit))
            self.kept.append(jit)
        return entry

    def write_source(self, jit: Any, extras: Any = ()) -> _sources.Source:
        key = (id(jit), tuple(map(id, extras)))
        source = self.sources.get(key)
        if source is None or _sources_changed(source):
            source = self.sources[key] = _sources.write_source(jit, extras)
            self.kept.append((jit, extras))
        return source

    def refuse(self, jit: Any, reason: str) -> None:
        key = (f"{jit.fn.__module__}.{jit.fn.__qualname__}", reason)
        self.refused[key] = self.refused.get(key, 0) + 1

    def write_new(self, entry: _Entry) -> None:
        made = entry.specialization
        events: List[Dict[str, Any]] = []
        driver = _calls.get_driver()
        device = driver.get_current_device()
        if device not in self.devices:
            self.devices.add(device)
            target = driver.get_current_target()
            events.append({"event": "device", "target": _manifest.target_name(target), "name": _device_name(driver, device),
                           "multiprocessors": _count_multiprocessors(driver, device)})
        if made.source.digest not in self.written_sources:
            self.written_sources.add(made.source.digest)
            source = made.source
            events.append({"event": "source", "digest": source.digest, "kernel": source.kernel, "module": source.module,
                           "file": source.path, "line": source.line, "files": source.files})
        words = []
        for name, word in made.words:
            value = word.value
            number = int(value) if isinstance(value, (bool, int)) else None
            kind = _constant_kind(value, word.text) if word.is_constant else None
            parameter = next(p for p in entry.jit.params if p.name == name)
            words.append({"name": name, "text": word.text, "constant": kind, "integer": number,
                          "constexpr": bool(parameter.is_constexpr)})
        events.append({"event": "specialization", "identity": made.identity, "source": made.source.digest, "words": words,
                       "options": made.options, "debug": made.debug})
        self.journal.write(*events)

    def note(self, entry: _Entry, call: _calls.Call, grid: Any, seconds: float, hints: set) -> None:
        with self.lock:
            if self.state.tuning is not None:
                self.state.tuning.append(entry.specialization.identity)
            entry.launches += 1
            entry.seen += 1
            entry.hints |= hints
            if entry.seen == 1:
                entry.first_launch_seconds = seconds
            values = {}
            for (name, word), parameter in zip(entry.specialization.words, entry.jit.params):
                value = _specializations.unwrap_constexpr(call.values[name])
                if isinstance(value, int) and not word.text.startswith("*"):
                    values[name] = int(value)
            sizes = tuple(max(size, 0) for size in _calls.read_grid(grid))
            key = (tuple(values.items()), sizes)
            if key in entry.grids or len(entry.grids) < _recording.MOST_GRIDS:
                entry.grids[key] = entry.grids.get(key, 0) + 1
        if entry.seen == 1 or time.monotonic() - self.last_flush > FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Writes down what is new of all specializations."""
        with self.lock:
            self.last_flush = time.monotonic()
            events: List[Dict[str, Any]] = []
            for identity, entry in self.by_identity.items():
                _collect_times(entry, wait=not self.is_open)
                if not entry.launches and not entry.kernel_seconds:
                    continue
                times = sorted(entry.kernel_seconds)
                events.append({
                    "event": "launches", "identity": identity, "launches": entry.launches,
                    "first_launch_seconds": entry.first_launch_seconds,
                    "kernel_seconds": times[len(times) // 2] if times else None, "hints": sorted(entry.hints),
                    "grids": [{"values": dict(values), "grid": list(sizes), "launches": count}
                              for (values, sizes), count in entry.grids.items()]})
                entry.launches, entry.first_launch_seconds, entry.grids = 0, None, {}
            for (kernel, reason), count in self.refused.items():
                events.append({"event": "refused", "kernel": kernel, "reason": reason, "launches": count})
            self.refused.clear()
            self.journal.write(*events)

    # -- in place of Triton's functions --------------------------------------------------------------------------------
    def run(self, original: Callable[..., Any], jit: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
        grid = kwargs.get("grid")
        if self.state.trying or _calls.is_gluon(jit):
            return original(jit, *args, **kwargs)
        hints: set = set()
        seen: List[Any] = []
        given = grid
        if callable(grid):
            hints = _names_of(grid)

            def told(meta: Any) -> Any:
                seen[:] = [given(meta)]
                return seen[0]

            kwargs = {**kwargs, "grid": told}
        begin = time.perf_counter()
        timed = self.begin_timing(jit, args, kwargs)
        result = original(jit, *args, **kwargs)
        seconds = time.perf_counter() - begin
        try:
            entry, call = self.look(jit, args, kwargs)
            if timed:
                timed(entry)
            if entry is not None:
                if result is not None:
                    _remember(result, self, entry)
                if not kwargs.get("warmup"):
                    self.note(entry, call, seen[0] if seen else grid, seconds, hints)
        except Exception as problem:  # Recording must not stop a program that runs.
            self.complain(problem)
        return result

    def look(self, jit: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Tuple[Optional[_Entry], _calls.Call]:
        call = self.bind(jit, args, kwargs)
        return self.find_entry(jit, call), call

    @staticmethod
    def bind(jit: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> _calls.Call:
        plain = {name: value for name, value in kwargs.items() if name not in ("grid", "warmup")}
        return _calls.bind(jit, args, plain, _calls.get_driver().get_current_device())

    def begin_timing(self, jit: Any, args: Any, kwargs: Any) -> Optional[Callable[[Optional[_Entry]], None]]:
        """Marks the device's stream before a launch, for some launches of each specialization."""
        if kwargs.get("warmup") or id(jit) not in self.known:
            return None
        try:
            # Only what has run before: this one may be refused by Triton.
            entry = self.entries.get(self.kind_of(jit, self.bind(jit, args, kwargs)))
            if not isinstance(entry, _Entry) or entry.seen not in TIMED_LAUNCHES:
                return None
            interface = _calls.get_driver().get_device_interface()
            if interface.is_current_stream_capturing():
                return None
            begin = interface.Event(enable_timing=True)
            end = interface.Event(enable_timing=True)
            begin.record()
        except Exception:
            return None

        def finish(now: Optional[_Entry]) -> None:
            end.record()
            if now is entry:
                entry.events.append((begin, end))

        return finish

    def tune(self, original: Callable[..., Any], tuner: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
        if self.state.trying or len(tuner.configs) < 2:
            return original(tuner, *args, **kwargs)
        if type(tuner.cache) is dict:
            tuner.cache = _Keys(tuner.cache)
        outer, self.state.tuning = self.state.tuning, []
        try:
            result = original(tuner, *args, **kwargs)
            launched = self.state.tuning
        finally:
            self.state.tuning = outer
        try:
            self.note_winner(tuner, args, kwargs, launched)
        except Exception as problem:
            self.complain(problem)
        if outer is not None:
            outer.extend(launched)
        return result

    def note_winner(self, tuner: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any], launched: List[str]) -> None:
        key = getattr(tuner.cache, "last", None)
        config = tuner.cache.get(key)
        jit = _calls.find_jit(tuner)
        if config is None or jit is None or not launched:
            return
        key = key if isinstance(key, tuple) else (key, )
        known = self.winners.get((id(tuner), key))
        if known is not None and known[0] == config and set(launched) <= known[1]:
            return
        identities = {*launched, *(known[1] if known is not None and known[0] == config else ())}
        self.winners[(id(tuner), key)] = (config, identities)
        named = {**dict(zip(tuner.arg_names, args)), **kwargs}
        values = {name: int(named[name]) for name in tuner.keys
                  if name in named and isinstance(named[name], int) and not isinstance(named[name], bool)}
        if key != _calls.tuning_key(tuner, args, kwargs):
            values = {}  # A key of its own making, which no condition can express.
        source = self.write_source(jit)
        times = getattr(tuner, "configs_timings", None) or {}
        seconds = times.get(config)
        seconds = seconds[0] if isinstance(seconds, (list, tuple)) else seconds
        self.journal.write({
            "event": "winner", "source": source.digest, "key": [repr(item) for item in key], "values": values,
            "settings": {name: value if isinstance(value, (int, float, str, bool)) else repr(value)
                         for name, value in _calls.settings_of(config).items()},
            "specializations": sorted(identities), "seconds": seconds / 1000 if seconds else None})


def _sources_changed(source: _sources.Source) -> bool:
    return any(owner.get(name) is not value for owner, name, value in source.watched)


def _names_of(function: Any) -> set:
    """The names in a grid's function, which often are those of the kernel's parameters."""
    code = getattr(function, "__code__", None)
    if code is None:
        return set()
    return {*code.co_names, *code.co_freevars, *(item for item in code.co_consts if isinstance(item, str))}


def _constant_kind(value: Any, text: str) -> str:
    import triton.language as tl

    for kind, types in (("none", type(None)), ("bool", bool), ("integer", int), ("float", float), ("text", str),
                        ("dtype", tl.dtype), ("tuple", (tuple, list))):
        if isinstance(value, types):
            return "named" if text.isidentifier() and kind not in ("none", "bool", "dtype") else kind
    return "integer" if hasattr(value, "__index__") else "named"


def _device_name(driver: Any, device: int) -> str:
    try:
        return str(driver.get_device_interface().get_device_name(device))
    except Exception:
        return ""


def _count_multiprocessors(driver: Any, device: int) -> Optional[int]:
    try:
        return int(driver.utils.get_device_properties(device)["multiprocessor_count"])
    except Exception:
        return None


def _collect_times(entry: _Entry, wait: bool) -> None:
    left = []
    for begin, end in entry.events:
        try:
            if wait:
                end.synchronize()
            if end.query():
                entry.kernel_seconds.append(begin.elapsed_time(end) / 1000)
            else:
                left.append((begin, end))
        except Exception:
            continue
    entry.events = left


def _remember(kernel: Any, recorder: Recorder, entry: _Entry) -> None:
    """Has launches of a compiled kernel by itself, `kernel[grid](…)`, recorded as well."""
    try:
        kernel.__dict__["_nereid_recorded"] = (recorder, entry)
    except AttributeError:
        pass


def _find_compiled(recorder: Recorder, kernel: Any) -> Optional[_Entry]:
    """What a compiled kernel is; also one that the program had `triton.compile` make."""
    known = kernel.__dict__.get("_nereid_recorded")
    if known is None:
        options = kernel.__dict__.get("_nereid_options")
        if options is None or not recorder.is_open:
            return None
        from triton.compiler import make_backend

        source = kernel.src
        try:
            call = next(_compilations.readings(make_backend(kernel.metadata.target), source, options))
            entry = recorder.find_entry(source.fn, call)
        except NotExpressible as problem:
            recorder.refuse(source.fn, str(problem))
            return None
        if entry is None:
            return None
        known = kernel.__dict__["_nereid_recorded"] = (recorder, entry)
    found: _Entry = known[1]
    return found


def _launch_compiled(original: Callable[..., Any], recorder: Recorder, kernel: Any, grid: Any) -> Any:
    runner = original(kernel, grid)
    try:
        entry = _find_compiled(recorder, kernel)
    except Exception as problem:
        recorder.complain(problem)
        return runner
    if entry is None:
        return runner

    def run(*args: Any, **kwargs: Any) -> Any:
        begin = time.perf_counter()
        result = runner(*args, **kwargs)
        try:
            values = dict(zip((p.name for p in entry.jit.params), args))
            for name, word in entry.specialization.words:
                values.setdefault(name, word.value)
            if not recorder.state.trying:
                recorder.note(entry, _calls.Call(values, [], {}), grid, time.perf_counter() - begin, set())
        except Exception as problem:
            recorder.complain(problem)
        return result

    return run


def install(recorder: Recorder) -> None:
    """Puts the recorder between programs and Triton."""
    import triton
    from triton.compiler import compiler
    from triton.compiler.compiler import CompiledKernel
    from triton.runtime.autotuner import Autotuner
    from triton.runtime.jit import JITFunction

    compile = compiler.compile
    run, bench, launch = JITFunction.run, Autotuner._bench, CompiledKernel.__getitem__

    def recorded_run(self: Any, *args: Any, **kwargs: Any) -> Any:
        return recorder.run(run, self, args, kwargs) if recorder.is_open else run(self, *args, **kwargs)

    def recorded_tune(tune: Callable[..., Any]) -> Callable[..., Any]:
        def run_tuned(self: Any, *args: Any, **kwargs: Any) -> Any:
            return recorder.tune(tune, self, args, kwargs) if recorder.is_open else tune(self, *args, **kwargs)

        return run_tuned

    def unrecorded_bench(self: Any, *args: Any, **kwargs: Any) -> Any:
        recorder.state.trying += 1
        try:
            return bench(self, *args, **kwargs)
        finally:
            recorder.state.trying -= 1

    def recorded_launch(self: Any, grid: Any) -> Any:
        return _launch_compiled(launch, recorder, self, grid)

    def remembered_compile(src: Any, target: Any = None, options: Any = None, *args: Any, **kwargs: Any) -> Any:
        kernel = compile(src, target, options, *args, **kwargs)
        if isinstance(src, compiler.ASTSource):
            kernel.__dict__["_nereid_options"] = dict(options or {})
        return kernel

    JITFunction.run = recorded_run
    _calls.wrap_tuners(recorded_tune)
    Autotuner._bench = unrecorded_bench
    CompiledKernel.__getitem__ = recorded_launch
    for module in (compiler, triton.compiler, triton):
        module.compile = remembered_compile  # type: ignore[attr-defined]
