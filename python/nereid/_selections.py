"""What PyTorch's compiler chooses by measuring, with `max_autotune`: for products, convolutions and attention one of many
implementations, which are its library's own functions and templates in Triton under many configurations; and whether a
template takes in what is computed before or behind it.

What was chosen is recorded, under the operation and its inputs, and served: the others are neither compiled nor measured.
None of it belongs to a kernel, as the choice may be no kernel of Triton's; libraries carry it all the same (_manifest.py).
A choice is named by its template and configuration, not by the text of its kernel, in which versions and devices are.
"""
from __future__ import annotations

import dataclasses
import sys
import threading
from typing import Any, Dict, List, Optional, Tuple

from nereid import _startup

SELECTION = "torch._inductor.select_algorithm"
SCHEDULER = "torch._inductor.scheduler"
Key = Tuple[str, ...]


class _Thread(threading.local):
    timings: Any = None  # what the selection that runs has measured


def name_choice(choice: Any) -> List[str]:
    kind = type(choice).__name__
    if kind == "TritonTemplateCaller":
        return [kind, choice.name.rpartition("_")[0], choice.description]  # The name ends in a number that counts.
    if kind == "ExternKernelCaller":
        return [kind, choice.choice.name, *(f"{name}={choice.kwargs[name]!r}" for name in sorted(choice.kwargs))]
    return [kind, choice.hash_key()]


class Counter:
    """Tells selections for the same operation and inputs apart: they may have chosen differently, as one takes in what
    follows and another does not."""

    def __init__(self) -> None:
        self.counts: Dict[Key, int] = {}
        self.lock = threading.Lock()

    def key_of(self, name: str, input_nodes: Any) -> Key:
        key = (name, sys.modules[SELECTION].create_inputs_key(input_nodes))  # type: ignore[attr-defined]
        with self.lock:
            number = self.counts[key] = self.counts.get(key, -1) + 1
        return (*key, str(number))


def buffer_of(node: Any) -> Any:
    """The buffer of what a selection returns: it lies in a TensorBox and a StorageBox."""
    for _ in range(2):
        node = getattr(node, "data", node)
    return node


def tagged_template(node1: Any, node2: Any) -> Tuple[Any, Any, str]:
    """Of two nodes that might become one kernel the template that was selected, and the other node."""
    for node, other, side in ((node1, node2, "epilogue"), (node2, node1, "prologue")):
        template = node.get_template_node() if node.is_template() else None
        if template is not None:
            return (template, other, side) if hasattr(template, "_nereid_selection") else (None, None, "")
    return None, None, ""


def fusion_key(template: Any, other: Any, side: str) -> Key:
    """What is computed before or behind a template, by PyTorch's names."""
    told = []
    for node in other.get_nodes():
        origins = sorted(str(origin.target) for origin in getattr(node.node, "origins", ()))
        told.append(f"{'+'.join(origins)} {node.node.get_size()} {node.node.get_dtype()}")
    return (*template._nereid_selection[:2], side, "; ".join(told))


def is_left_alone(kwargs: Dict[str, Any]) -> bool:
    """Selections that are more than one choice."""
    return bool(kwargs.get("return_choice") or getattr(sys.modules["torch._inductor.config"], "multi_kernel_hints", None))


# ---------------------------------------------------------------------------------------------------------------------
# Recording
# ---------------------------------------------------------------------------------------------------------------------
def record(recorder: Any) -> None:
    """As far as this version of PyTorch has what is looked for; otherwise nothing is recorded."""
    thread, counter = _Thread(), Counter()

    def note(key: Key, choice: Any) -> None:
        if recorder.is_open:
            with recorder.lock:
                recorder.journal.write({"event": "selection", "key": list(key), "choice": choice})

    def guarded(call: Any, *args: Any) -> None:
        try:
            call(*args)
        except Exception as problem:  # Recording must not stop a program that runs.
            recorder.complain(problem)

    def wrap_selections() -> None:
        module: Any = sys.modules[SELECTION]
        ir: Any = sys.modules["torch._inductor.ir"]
        cache = module.AlgorithmSelectorCache
        select, tune = cache.__call__, getattr(cache, "do_autotuning", None)
        finalize = getattr(ir.MultiTemplateBuffer, "finalize_as_triton_caller", None)
        if tune is None or finalize is None or not hasattr(module, "create_inputs_key"):
            return

        def recorded_tune(self: Any, *args: Any, **kwargs: Any) -> Any:
            thread.timings = tune(self, *args, **kwargs)
            return thread.timings

        def recorded_select(self: Any, name: str, choices: Any, input_nodes: Any, *args: Any, **kwargs: Any) -> Any:
            thread.timings = None
            result = select(self, name, choices, input_nodes, *args, **kwargs)
            timings, thread.timings = thread.timings, None

            def look() -> None:
                if len(choices) < 2 or is_left_alone(kwargs):
                    return
                key, buffer = counter.key_of(name, input_nodes), buffer_of(result)
                if isinstance(buffer, ir.MultiTemplateBuffer):  # It is chosen later.
                    buffer._nereid_selection = key
                elif timings:
                    note(key, name_choice(min(timings, key=timings.__getitem__)))

            guarded(look)
            return result

        def recorded_finalize(self: Any, caller: Any, *args: Any, **kwargs: Any) -> Any:
            result = finalize(self, caller, *args, **kwargs)
            if hasattr(self, "_nereid_selection"):
                self._nereid_is_chosen = True
                guarded(lambda: note(self._nereid_selection, name_choice(caller)))
            return result

        cache.do_autotuning = recorded_tune
        cache.__call__ = recorded_select
        ir.MultiTemplateBuffer.finalize_as_triton_caller = recorded_finalize

    def wrap_scheduler() -> None:
        module: Any = sys.modules[SCHEDULER]
        scheduler = module.Scheduler
        fuse, finalize = getattr(scheduler, "speedup_by_fusion", None), getattr(scheduler, "finalize_multi_template_buffers", None)
        if fuse is None or finalize is None:
            return

        def recorded_fuse(self: Any, node1: Any, node2: Any, *args: Any, **kwargs: Any) -> Any:
            template, other, side = tagged_template(node1, node2)
            if template is None:
                return fuse(self, node1, node2, *args, **kwargs)
            key: List[Key] = []
            guarded(lambda: key.append(fusion_key(template, other, side)))
            result = fuse(self, node1, node2, *args, **kwargs)
            if not key:
                return result
            decided = getattr(result, "should_fuse", result)  # From 2.11 on it is an object with either of the two.
            later = getattr(result, "callable_fn", result)
            if isinstance(decided, bool):
                note(key[0], decided)
                return result
            if not callable(later):
                return result

            def told() -> Any:
                decided = later()
                note(key[0], bool(decided))
                return decided

            return told if later is result else dataclasses.replace(result, callable_fn=told)

        def unrecorded(measure: Any) -> Any:
            def run(self: Any, *args: Any, **kwargs: Any) -> Any:
                recorder.state.trying += 1
                try:
                    return measure(self, *args, **kwargs)
                finally:
                    recorder.state.trying -= 1

            return run

        def recorded_finalize(self: Any, *args: Any, **kwargs: Any) -> Any:
            buffers = [node.node for node in self.nodes if hasattr(getattr(node, "node", None), "_nereid_selection")]
            result = finalize(self, *args, **kwargs)

            def look() -> None:
                for buffer in buffers:
                    if not hasattr(buffer, "_nereid_is_chosen"):  # It was none of Triton's.
                        timings = buffer.choice_timings()
                        others = [choice for choice in timings if type(choice).__name__ != "TritonTemplateCaller"]
                        if others:
                            note(buffer._nereid_selection, name_choice(min(others, key=timings.__getitem__)))

            guarded(look)
            return result

        scheduler.speedup_by_fusion = recorded_fuse
        for name in ("benchmark_codegened_module", "benchmark_fused_nodes", "benchmark_combo_kernel"):
            if hasattr(scheduler, name):
                setattr(scheduler, name, unrecorded(getattr(scheduler, name)))
        scheduler.finalize_multi_template_buffers = recorded_finalize

    _startup.when_imported(SELECTION, wrap_selections)
    _startup.when_imported(SCHEDULER, wrap_scheduler)


# ---------------------------------------------------------------------------------------------------------------------
# Serving
# ---------------------------------------------------------------------------------------------------------------------
def serve(session: Any) -> None:
    """As far as this version of PyTorch has what is looked for; otherwise it measures."""
    counter = Counter()

    def find(key: Key) -> Any:
        """What was chosen; for a selection that the recording did not get to, what was chosen the first time."""
        for wanted in (key, (*key[:2], "0")) if len(key) == 3 else (key, ):
            for library in session.libraries:
                choice = library.selections.get(wanted)
                if choice is not None:
                    return choice
        return None

    def wrap_selections() -> None:
        module: Any = sys.modules[SELECTION]
        cache = module.AlgorithmSelectorCache
        select = cache.__call__
        if not hasattr(module, "create_inputs_key"):
            return

        def select_served(self: Any, name: str, choices: Any, input_nodes: Any, *args: Any, **kwargs: Any) -> Any:
            key: Optional[Key] = None
            if len(choices) > 1 and not is_left_alone(kwargs):
                try:
                    key = counter.key_of(name, input_nodes)
                    wanted = find(key)
                    chosen = [choice for choice in choices if name_choice(choice) == wanted][:1] if wanted else []
                except Exception:  # What PyTorch asks here is not ours to refuse.
                    chosen = []
                if chosen:
                    choices = chosen  # Of one there is nothing to measure.
                else:
                    with session.lock:
                        text = f"{name} of torch.compile"
                        session.untuned[text] = session.untuned.get(text, 0) + 1
            result = select(self, name, choices, input_nodes, *args, **kwargs)
            if key is not None and len(choices) == 1:
                buffer = buffer_of(result)
                if hasattr(buffer, "__dict__"):
                    buffer.__dict__["_nereid_selection"] = key
            return result

        cache.__call__ = select_served

    def wrap_scheduler() -> None:
        module: Any = sys.modules[SCHEDULER]
        scheduler = module.Scheduler
        fuse = getattr(scheduler, "speedup_by_fusion", None)
        if fuse is None:
            return

        def fuse_served(self: Any, node1: Any, node2: Any, *args: Any, **kwargs: Any) -> Any:
            template, other, side = tagged_template(node1, node2)
            decided = None
            if template is not None:
                try:
                    decided = find(fusion_key(template, other, side))
                except Exception:
                    decided = None
            if not isinstance(decided, bool):
                return fuse(self, node1, node2, *args, **kwargs)
            return module.FusionResult.fuse(decided) if hasattr(module, "FusionResult") else decided

        scheduler.speedup_by_fusion = fuse_served

    _startup.when_imported(SELECTION, wrap_selections)
    _startup.when_imported(SCHEDULER, wrap_scheduler)
