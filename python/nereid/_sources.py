"""The source of a kernel with all that it needs of its program, as files of their own.

The file that a kernel stands in says too little and too much: a value may be computed from the device, a function be
chosen by an environment variable, a kernel be made by another function or by a generator whose file is gone at the
end; and the file imports half a framework. While the program runs all names mean something. So each function is
written out word for word, and each name that it uses as what it stands for:

    import triton
    import triton.language as tl
    from helper_1 import gelu            another module's function, in a file of its own with what that needs
    LOG2E = tl.constexpr(1.4426950408889634)

    @triton.jit
    def kernel(x, n, BLOCK: tl.constexpr):
        ...

The same function in the same state gives the same text on any machine, and whatever changes what is compiled
changes the text. So its digest tells whether a library was made of what a program has now.
"""
from __future__ import annotations

import __future__
import ast
import builtins
import hashlib
import inspect
import math
import os
import re
import sys
import textwrap
from types import FunctionType, ModuleType
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

Chains = Set[Tuple[str, ...]]


class CannotBeWritten(Exception):
    """A value has no text that means the same."""


class Source(NamedTuple):
    digest: str
    kernel: str  # its name in the first file
    files: Dict[str, str]  # their texts by their names, the kernel's first
    extras: List[str]  # the names of the values that were asked for beside the kernel
    module: str
    path: str
    line: int
    watched: List[Tuple[Dict[str, Any], str, Any]]  # names of the program, and what was found there


def dtype_name(value: Any) -> str:
    """A dtype's name in triton.language: `float16`."""
    import triton.language as tl

    for name, other in vars(tl).items():
        if isinstance(other, tl.dtype) and other.name == value.name:
            return name
    raise CannotBeWritten(f"the dtype {value}")


def literal(value: Any, prefix: str = "tl.") -> str:
    """The text of a plain value."""
    import triton.language as tl

    if value is None or value is Ellipsis or isinstance(value, (bool, str, bytes)):
        return repr(value)
    if isinstance(value, int):
        return repr(int(value))
    if isinstance(value, float):
        return repr(float(value)) if math.isfinite(value) else f'float("{float(value)}")'
    if isinstance(value, tl.dtype):
        if value.is_ptr():
            return f"{prefix}pointer_type({literal(value.element_ty, prefix)})"
        return prefix + dtype_name(value)
    if isinstance(value, tl.constexpr):
        return f"{prefix}constexpr({literal(value.value, prefix)})"
    if type(value) is tuple:
        return "(" + "".join(literal(item, prefix) + ", " for item in value).rstrip(" ") + ")"
    if type(value) is list:
        return "[" + ", ".join(literal(item, prefix) for item in value) + "]"
    if type(value) is dict:
        return "{" + ", ".join(f"{literal(k, prefix)}: {literal(v, prefix)}" for k, v in value.items()) + "}"
    if hasattr(value, "__index__"):
        return repr(value.__index__())
    raise CannotBeWritten(f"a value of the type {type(value).__qualname__}")


def is_callable_of_kernels(value: Any) -> bool:
    """A function under triton.jit or triton.constexpr_function."""
    return hasattr(value, "fn") and (hasattr(value, "src") or hasattr(value, "raw_src")) and callable(value.fn)


def is_of_triton(name: Optional[str]) -> bool:
    return bool(name) and (name == "triton" or name.startswith("triton."))  # type: ignore[union-attr]


def is_definition_of(found: Any, value: Any) -> bool:
    """Whether it is the same object, or the same function of a module that somebody has executed once more, as xformers does with
    Triton's libdevice."""
    return found is value or (isinstance(value, FunctionType) and isinstance(found, FunctionType) and found.__code__ == value.__code__)


def is_of_a_library(name: Optional[str]) -> bool:
    """Of one that has more to it than can be written out with a kernel."""
    top = (name or "").partition(".")[0]
    return top in ("torch", "numpy") or top in getattr(sys, "stdlib_module_names", ())


def source_text(function: Any) -> str:
    text = getattr(function, "src", None)
    if isinstance(text, str):
        return text.rstrip() + "\n"
    return textwrap.dedent(inspect.getsource(function))


class PlainFunction:
    """A function of Python's own that runs when a kernel is compiled: what `tl.constexpr` was put around."""

    def __init__(self, function: FunctionType) -> None:
        self.fn = function
        text = textwrap.dedent(inspect.getsource(function))
        begin = re.search(r"^def\s", text, re.MULTILINE)
        if begin is None:
            raise CannotBeWritten("a function without a definition")
        self.src = text[begin.start():]


class _Names(ast.NodeVisitor):
    """The names that a function or class takes from around it, each with the attributes that are asked of it."""

    def __init__(self) -> None:
        self.loads: Dict[str, Chains] = {}
        self.bound: Set[str] = set()

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.loads.setdefault(node.id, set()).add(())
        else:
            self.bound.add(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        chain: List[str] = []
        inner: ast.AST = node
        while isinstance(inner, ast.Attribute):
            chain.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
            self.loads.setdefault(inner.id, set()).add(tuple(reversed(chain)))
        else:
            self.visit(inner)

    def visit_arg(self, node: ast.arg) -> None:
        self.bound.add(node.arg)
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.bound.add(node.name)
        self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.bound.add(node.name)
        self.generic_visit(node)

    def visit_Import(self, node: Any) -> None:
        for alias in node.names:
            self.bound.add(alias.asname or alias.name.split(".")[0])

    visit_ImportFrom = visit_Import


def names_in(text: str, name: str) -> Dict[str, Chains]:
    """The names that a definition needs. Its own name is one of them only where it is written apart from it."""
    names = _Names()
    tree = ast.parse(text)
    names.visit(tree)
    definition = tree.body[0]
    found = {key: chains for key, chains in names.loads.items() if key not in names.bound}
    # Defaults and annotations are evaluated outside, where a parameter's name means something else.
    outside = _Names()
    arguments = getattr(definition, "args", None)
    if arguments is not None:
        for node in [*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)]:
            outside.visit(node)
        for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
            if argument.annotation is not None:
                outside.visit(argument.annotation)
    for key, chains in outside.loads.items():
        found.setdefault(key, set()).update(chains)
    if name in names.loads:  # It calls itself.
        found.setdefault(name, set()).update(names.loads[name])
    return found


class _Space:
    """A file to be: the names of one module, or of one call of a function that makes kernels."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.values: Dict[str, Any] = {}  # what a name means
        self.lines: List[str] = []
        self.taken: Set[str] = set()

    def text(self) -> str:
        return "import triton\nimport triton.language as tl\n" + "".join(self.lines)


class _Writer:
    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel
        self.spaces: Dict[Any, List[_Space]] = {}
        self.order: List[_Space] = []
        self.functions: Dict[int, Tuple[_Space, str]] = {}
        self.plain: Dict[int, PlainFunction] = {}
        self.modules: Dict[int, _Space] = {}
        self.keep: List[Any] = []  # so that no id is used twice
        self.watched: List[Tuple[Dict[str, Any], str, Any]] = []
        self.is_plain = False  # While the names of a function are written that runs in Python, and may call others that do.

    def new_space(self) -> _Space:
        stem = self.kernel.fn.__name__ if not self.order else f"helper_{len(self.order)}"
        space = _Space(stem)
        self.order.append(space)
        return space

    # -- functions ---------------------------------------------------------------------------------------------------
    def scope_of(self, function: FunctionType) -> Tuple[Any, Dict[str, Any], Dict[str, Any]]:
        """A key for all functions that see the same names, then those of the closure, and the module's."""
        closure: Dict[str, Any] = {}
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            try:
                closure[name] = cell.cell_contents
            except ValueError:
                continue
        key = (id(function.__globals__), tuple(sorted((name, id(value)) for name, value in closure.items())))
        return key, closure, function.__globals__

    def add_function(self, function: Any) -> Tuple[_Space, str]:
        """Writes a function out, once. Returns where it stands and its name there."""
        if id(function) in self.functions:
            return self.functions[id(function)]
        self.keep.append(function)
        inner = function.fn
        name = inner.__name__
        key, closure, module = self.scope_of(inner)
        spaces = self.spaces.setdefault(key, [])
        text = source_text(function)
        for space in spaces:
            if name not in space.values:
                break
        else:
            space = self.new_space()
            spaces.append(space)
        space.values[name] = function
        self.functions[id(function)] = (space, name)
        names = self.without_unread_annotations(inner, names_in(text, name), {**module, **closure})
        is_plain, self.is_plain = self.is_plain, not hasattr(function, "params")
        try:
            self.add_names(space, names, closure, module, name)
        finally:
            is_plain, self.is_plain = self.is_plain, is_plain
        decorator = "@triton.jit"
        if is_plain:
            decorator = "@triton.constexpr_function"
        elif getattr(function, "noinline", None):
            decorator = "@triton.jit(noinline=True)"
        space.lines.append(f"\n\n{decorator}\n{text}")
        return space, name

    @staticmethod
    def without_unread_annotations(function: FunctionType, names: Dict[str, Chains], values: Dict[str, Any]) -> Dict[str, Chains]:
        """Under `from __future__ import annotations` Triton reads of an annotation the text: `C: CE` is a run-time value, also where CE
        is tl.constexpr. Nereid asks what a name stands for, so that this one must stand for nothing."""
        import triton.language as tl

        if not function.__code__.co_flags & __future__.annotations.compiler_flag:
            return names
        unread = {name for name in names if values.get(name) is tl.constexpr and "constexpr" not in name}
        if unread & {*function.__code__.co_names, *function.__code__.co_freevars}:
            raise CannotBeWritten(f"'{min(unread)}', tl.constexpr by another name, in annotations that are texts and elsewhere")
        return {name: chains for name, chains in names.items() if name not in unread}

    def plain_function(self, function: FunctionType) -> PlainFunction:
        if id(function) not in self.plain:
            try:
                self.plain[id(function)] = PlainFunction(function)
            except OSError:
                raise CannotBeWritten(f"'{function.__name__}', a function without a source") from None
        return self.plain[id(function)]

    # -- names -------------------------------------------------------------------------------------------------------
    def add_names(self, space: _Space, names: Dict[str, Chains], closure: Dict[str, Any], module: Dict[str, Any],
                  own: str) -> None:
        annotations = module.get("__annotations__", {})
        for name in sorted(names):
            owner = closure if name in closure else module
            if name not in owner:
                continue  # Python's own, or nothing at all.
            value = owner[name]
            annotated = owner is module and "constexpr" in str(annotations.get(name, ""))
            if name in space.values:
                if name == own or self.is_same(space.values[name], value):
                    continue
            try:
                self.add_name(space, name, value, names[name], annotated)
            except CannotBeWritten:
                continue  # An annotation, mostly. The compiler says so if it is more.
            if not isinstance(value, ModuleType):
                self.watched.append((owner, name, value))

    @staticmethod
    def is_same(a: Any, b: Any) -> bool:
        return a is b or unwrap(a) is unwrap(b)

    def add_name(self, space: _Space, name: str, value: Any, chains: Chains, annotated: bool = False) -> None:
        statement = self.statement(space, name, value, chains, annotated)
        if statement is not None:
            space.values[name] = value
            if statement:
                space.lines.append(statement + "\n")

    def statement(self, space: _Space, name: str, value: Any, chains: Chains, annotated: bool) -> Optional[str]:
        """What gives a name its meaning; empty where that is done already, None where there is nothing to say."""
        import triton.language as tl

        if isinstance(value, ModuleType):
            return self.import_module(name, value, chains)
        value = unwrap(value)
        if is_callable_of_kernels(value):
            if is_of_triton(value.fn.__module__):
                return self.import_of_triton(name, value, value.fn)
            there, own = self.add_function(value)
            if there is space:
                return "" if own == name else f"{name} = {own}"
            return f"from {there.file} import {own}" + ("" if own == name else f" as {name}")
        if isinstance(value, tl.constexpr):
            if isinstance(value.value, FunctionType):
                return self.statement(space, name, self.plain_function(value.value), chains, annotated)
            return self.assign(space, name, value.value, constexpr=True)
        if isinstance(value, tl.dtype):
            return f"{name} = {literal(value)}"
        if is_of_triton(getattr(value, "__module__", None)):
            return self.import_of_triton(name, value, value)
        if isinstance(value, type):
            return self.add_class(space, name, value, chains)
        if isinstance(value, FunctionType) or inspect.isbuiltin(value):
            if getattr(builtins, name, None) is value or getattr(math, value.__name__, None) is value:
                return f"from math import {value.__name__} as {name}" if hasattr(math, value.__name__) else ""
            if self.is_plain and isinstance(value, FunctionType) and not is_of_a_library(value.__module__):
                return self.statement(space, name, self.plain_function(value), chains, annotated)
            return None  # No kernel may call it; annotations and the like may name it.
        try:
            return self.assign(space, name, value, constexpr=annotated)
        except CannotBeWritten:
            return self.add_object(space, name, value, chains)

    def assign(self, space: _Space, name: str, value: Any, constexpr: bool) -> str:
        if is_callable_of_kernels(value):
            there, own = self.add_function(value)
            if there is not space:
                space.lines.append(f"from {there.file} import {own} as nrd_{own}\n")
                own = "nrd_" + own
            text = own
        else:
            text = literal(value)
        return f"{name} = tl.constexpr({text})" if constexpr else f"{name} = {text}"

    def import_module(self, name: str, module: ModuleType, chains: Chains) -> Optional[str]:
        full = module.__name__
        top = full.partition(".")[0]
        # Nereid has the helpers of PyTorch's compiler itself.
        if (is_of_triton(full) or full == "torch" or full.startswith("torch._inductor.runtime") or
                top in ("math", "builtins", "operator", "functools", "typing")):
            if (full, name) in (("triton", "triton"), ("triton.language", "tl")):
                return ""  # Every file has these.
            return f"import {full}" if full == name else f"import {full} as {name}"
        space = self.modules.get(id(module))
        if space is None:
            self.keep.append(module)
            space = self.modules[id(module)] = self.new_space()
        by_head: Dict[str, Chains] = {}
        for chain in chains:
            if chain:
                by_head.setdefault(chain[0], set()).add(chain[1:])
        annotations = getattr(module, "__annotations__", {})
        for head in sorted(by_head):
            if hasattr(module, head):
                value = getattr(module, head)
                if head in space.values and self.is_same(space.values[head], value) and not isinstance(value, ModuleType):
                    continue
                try:
                    self.add_name(space, head, value, by_head[head], "constexpr" in str(annotations.get(head, "")))
                except CannotBeWritten:
                    continue
                self.watched.append((vars(module), head, value))
        return f"import {space.file} as {name}"

    def import_of_triton(self, name: str, value: Any, named: Any) -> Optional[str]:
        """Something of Triton's own, by a place where it is found."""
        own = getattr(named, "__name__", None)
        for place in (getattr(named, "__module__", None), "triton.language", "triton"):
            module = sys.modules.get(place or "")
            if module is None:
                continue
            found = own if own and is_definition_of(getattr(module, own, None), value) else None
            if found is None:
                found = next((key for key, other in vars(module).items() if other is value), None)
            if found:
                return f"from {place} import {found}" + ("" if found == name else f" as {name}")
        return None

    def add_class(self, space: _Space, name: str, value: type, chains: Chains) -> Optional[str]:
        if getattr(builtins, value.__name__, None) is value:
            return "" if value.__name__ == name else f"{name} = {value.__name__}"
        if hasattr(value, "_fields") or getattr(value, "__triton_aggregate__", False):
            try:
                text = textwrap.dedent(inspect.getsource(value))
            except (OSError, TypeError):
                fields = ", ".join(repr(field) for field in getattr(value, "_fields", ()))
                return f'from collections import namedtuple\n{name} = namedtuple("{value.__name__}", [{fields}])'
            module = vars(sys.modules[value.__module__]) if value.__module__ in sys.modules else {}
            self.add_names(space, names_in(text, value.__name__), {}, module, value.__name__)
            space.lines.append("\n\n" + text)
            return "" if value.__name__ == name else f"{name} = {value.__name__}"
        return self.add_object(space, name, value, chains)

    def add_object(self, space: _Space, name: str, value: Any, chains: Chains) -> Optional[str]:
        """A class that has what the function asks of some object or class."""
        lines = []
        by_head: Dict[str, Chains] = {}
        for chain in chains:
            if chain:
                by_head.setdefault(chain[0], set()).add(chain[1:])
        if not by_head:
            if isinstance(value, type) or callable(value):
                return None
            raise CannotBeWritten(f"'{name}', a value of the type {type(value).__qualname__}")
        for head in sorted(by_head):
            if not hasattr(value, head):
                continue
            inner = unwrap(getattr(value, head))
            if is_callable_of_kernels(inner):
                there, own = self.add_function(inner)
                if there is not space:
                    space.lines.append(f"from {there.file} import {own} as nrd_{name}_{head}\n")
                    own = f"nrd_{name}_{head}"
                lines.append(f"    {head} = {own}")
            else:
                inner = getattr(inner, "value", inner) if type(inner).__module__ == "enum" else inner
                lines.append(f"    {head} = {literal(getattr(inner, 'value', inner) if is_enum(inner) else inner)}")
        if not lines:
            return None
        return f"\n\nclass {name}:\n" + "\n".join(lines) + "\n"


def is_enum(value: Any) -> bool:
    import enum

    return isinstance(value, enum.Enum)


def unwrap(value: Any) -> Any:
    """The kernel under autotune and heuristics; anything else as it is."""
    seen = 0
    while not is_callable_of_kernels(value) and hasattr(value, "fn") and hasattr(value, "run") and seen < 16:
        value, seen = value.fn, seen + 1
    return value


def write_source(kernel: Any, extras: Sequence[Any] = ()) -> Source:
    """The files of a kernel. `extras` are values that it is called with and that a signature can only name."""
    writer = _Writer(kernel)
    space, name = writer.add_function(kernel)
    names: List[str] = []
    for number, value in enumerate(extras):
        wanted = value.fn.__name__ if is_callable_of_kernels(value) else f"recorded_{number}"
        while wanted in space.values and not writer.is_same(space.values[wanted], value):
            wanted += "_"
        if wanted not in space.values:
            writer.add_name(space, wanted, value, {()})
        names.append(wanted)
    files = {other.file + ".py": other.text() for other in writer.order}
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file}\0{files[file]}\0".encode())
    code = kernel.fn.__code__
    return Source(digest.hexdigest()[:32], name, files, names, kernel.fn.__module__ or "",
                  os.path.relpath(code.co_filename) if os.path.isabs(code.co_filename) and
                  code.co_filename.startswith(os.getcwd() + os.sep) else code.co_filename, code.co_firstlineno,
                  writer.watched)
