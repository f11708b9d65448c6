"""What programs ask Triton to launch, in the words of Nereid's command line."""
import ast
import ctypes
import functools
import hashlib
import inspect
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import torch
import triton
import triton.language as tl
from triton._utils import canonicalize_dtype
from triton.compiler.errors import CompilationError
from triton.runtime.autotuner import Autotuner
from triton.runtime.errors import OutOfResources, PTXASError
from triton.runtime.jit import JITFunction

SCALARS = {
    "i1": ctypes.c_bool, "u1": ctypes.c_bool, "i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32,
    "i64": ctypes.c_int64, "u8": ctypes.c_uint8, "u16": ctypes.c_uint16, "u32": ctypes.c_uint32,
    "u64": ctypes.c_uint64, "fp32": ctypes.c_float, "fp64": ctypes.c_double
}


class NotExpressible(Exception):
    """Nereid's signatures have no word for something."""


@dataclass
class Specialization:
    """A kernel with types and compile-time values: what compilers make one binary of."""
    jit: JITFunction
    signature: str
    options: object
    source: tuple  # the arguments of Triton's ASTSource
    problem: str = ""
    passed: list = field(default_factory=list)  # how each C argument follows from the values of the parameters
    name: str = ""  # package.kernel
    id: str = ""

    def nereid_arguments(self):
        arguments = [
            str(whole_file(self.jit)), "-k", self.jit.fn.__qualname__.replace("<locals>.", ""), "-s",
            self.signature, "--num-warps", str(self.options.num_warps), "--num-stages", str(self.options.num_stages)
        ]
        return arguments + (["--maxnreg", str(self.options.maxnreg)] if self.options.maxnreg else [])

    def compile(self, command, **options):
        """Runs a command with these arguments; the command as it was run in the end, and what came of it. What the kernel's
        module finds out about the machine when it is imported, Nereid asks for, and is told."""
        done = subprocess.run(command, capture_output=True, text=True, **options)
        wanted = set(re.findall(r"-D (\w+)=VALUE says otherwise", done.stderr))
        definitions = []
        for name, value in sorted(used_by(self.jit, {}).items()) if wanted else []:
            if name in wanted and isinstance(value, (tl.constexpr, bool, int, float, str)):
                definitions += ["-D", f"{name}={constant(value)}"]
        if not definitions:
            return command, done
        command = [*command[:2], *definitions, *command[2:]]
        return command, subprocess.run(command, capture_output=True, text=True, **options)


@dataclass
class Launch:
    specialization: Specialization
    grid: tuple
    args: tuple
    kwargs: dict
    bound: dict  # parameters and their values
    run: object  # launches it through Triton

    @functools.cached_property
    def id(self):
        return digest(f"{self.specialization.id} {self.grid}")

    def c_arguments(self):
        """The arguments of Nereid's C function."""
        return [make(self.bound[name]) for name, make in self.specialization.passed]

    def tensors(self):
        return [(name, tensor) for name, value in self.bound.items() for tensor in tensors_in(value)]


def digest(text):
    return hashlib.sha1(text.encode()).hexdigest()[:8]


def tensors_in(value):
    if isinstance(value, (tuple, list)):
        return [tensor for element in value for tensor in tensors_in(element)]
    if hasattr(value, "block_shape") and hasattr(value, "base"):  # a descriptor
        value = value.base
    return [value] if hasattr(value, "data_ptr") and hasattr(value, "untyped_storage") else []


def constant(value):
    """A compile-time value as a signature has it."""
    while isinstance(value, tl.constexpr):
        value = value.value
    if value is None or isinstance(value, (bool, int)):
        return str(value)
    if isinstance(value, float):
        return repr(value)  # also inf and nan
    if isinstance(value, str):
        if '"' in value or "\\" in value:
            raise NotExpressible(f"the text {value!r}")
        return f'"{value}"'
    if isinstance(value, tl.dtype):
        return str(value)
    if isinstance(value, torch.dtype):
        # Nereid has no word for PyTorch's; kernels that are given one do not look at it.
        return canonicalize_dtype(value)
    if isinstance(value, tuple):
        return "(" + ", ".join(map(constant, value)) + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, triton.runtime.jit.JITCallable):
        return f"{value.fn.__module__}:{value.fn.__qualname__}"
    if hasattr(value, "__index__"):
        return str(value.__index__())
    raise NotExpressible(f"a constant of type {type(value).__name__}")


def compose(*functions):
    return lambda value: functools.reduce(lambda x, function: function(x), functions, value)


def pointer(value):
    # Addresses without an array behind them come as what has nothing but data_ptr. A tensor without elements has none, and
    # libraries take no null pointers: any aligned address will do.
    return ctypes.c_void_p(value.data_ptr() or 4096)


def describe(kind, trait, value):
    """A parameter's word in the signature, and how C arguments follow from its value."""
    if isinstance(kind, (tuple, list)):
        words, passed = [], []
        for i, (inner, inner_trait) in enumerate(zip(kind, trait)):
            word, functions = describe(inner, inner_trait, value[i])
            words.append(word)
            passed += [compose(lambda whole, i=i: whole[i], function) for function in functions]
        return f"({', '.join(words)}{',' if len(words) == 1 else ''})", passed
    if kind == "constexpr":
        if isinstance(value, tl.constexpr) or not type(value) is int:
            return constant(value), []
        return str(value), []
    if kind.startswith("tensordesc"):
        rank = len(value.shape)
        return kind, [
            lambda d: pointer(d.base), *(lambda d, i=i: ctypes.c_int32(d.shape[i]) for i in range(rank)),
            *(lambda d, i=i: ctypes.c_int64(d.strides[i]) for i in range(rank - 1))
        ]
    kind = kind.replace("*k", "*")  # a pointer that the kernel only reads through
    word = kind + (":16" if isinstance(trait, str) and "D" in trait else "")
    if kind.startswith("*"):
        return word, [pointer]
    if kind not in SCALARS:
        raise NotExpressible(f"an argument of type {kind}")
    return word, [SCALARS[kind]]


PACKAGES = [None]  # the folder that holds them


def module_of(jit):
    """FlagGems writes kernels into files, some of which are named after the process."""
    return re.sub(r"_pid_\d+", "", jit.fn.__module__)


def package_of(jit):
    path = Path(inspect.getsourcefile(jit.fn)).resolve()
    if PACKAGES[0] and path.is_relative_to(PACKAGES[0]):
        return path.relative_to(PACKAGES[0]).parts[0].removesuffix(".py")
    name = jit.fn.__module__.split(".")[0]
    return "flag_gems" if name.startswith("_gen_module") else name


LIBDEVICE = "triton.language.extra.libdevice"


def used_by(jit, found):
    """What a kernel and the functions that it calls have from their modules, by their names."""
    scope = jit.get_capture_scope()
    for node in ast.walk(jit.parse()):
        value = scope.get(node.id) if isinstance(node, ast.Name) else None
        if value is not None and node.id not in found:
            found[node.id] = value
            if isinstance(value, JITFunction):
                used_by(value, found)
    return found


def whole_file(jit):
    """The file of a kernel. FlagGems gives the files that it generates what they do not import; where that is libdevice's, a
    copy imports it."""
    path = Path(inspect.getsourcefile(jit.fn))
    if not jit.fn.__module__.startswith("_gen_module"):
        return path
    text = path.read_text()
    own = {alias.asname or alias.name for node in ast.walk(ast.parse(text))
           if isinstance(node, (ast.Import, ast.ImportFrom)) for alias in node.names}
    missing = []
    for name, value in sorted(used_by(jit, {}).items()):
        if name in own:
            continue
        if inspect.ismodule(value) and value.__name__.endswith("libdevice"):
            missing.append(f"import {LIBDEVICE} as {name}")
        elif getattr(value, "__module__", "").endswith("libdevice"):
            missing.append(f"from {LIBDEVICE} import {value.__name__} as {name}")
    if not missing:
        return path
    copy = path.with_name(f"{path.stem}_whole.py")
    copy.write_text("\n".join([text, *missing, ""]))
    return copy


def specialize(jit, bound, kinds, options, source):
    made = Specialization(jit, "", options, source)
    words = []
    try:
        for parameter, (name, value), (kind, trait) in zip(jit.params, bound.items(), kinds):
            if kind == "constexpr" and not parameter.is_constexpr and type(value) is int and value == 1:
                # Triton makes a constant of an argument that is 1; callers of the C function pass it.
                word, functions = "i32:1", [ctypes.c_int32]
            else:
                word, functions = describe(kind, trait, value)
            words.append(f"{name}={word}")
            made.passed += [(name, function) for function in functions]
        if getattr(options, "num_ctas", 1) != 1:
            raise NotExpressible("clusters of blocks")
        if getattr(options, "launch_cooperative_grid", False):
            raise NotExpressible("cooperative launches")
    except NotExpressible as problem:
        made.problem = str(problem)
    made.signature = ", ".join(words)
    made.name = f"{package_of(jit)}.{jit.fn.__qualname__.split('.')[-1]}"
    # The libraries' paths are this machine's, and ids the same on all.
    settings = sorted((item for item in vars(options).items() if item[0] != "extern_libs"), key=str)
    made.id = digest(f"{module_of(jit)} {jit.fn.__qualname__} {kinds} {made.signature} {settings}")
    return made


_specializations = {}


def read(jit, args, grid, kwargs, run):
    """The launch that a call of JITFunction.run asks for."""
    device = triton.runtime.driver.active.get_current_device()
    _, _, _, backend, binder = jit.device_caches[device]
    kwargs = dict(kwargs)
    kwargs["debug"] = kwargs.get("debug", jit.debug) or triton.knobs.runtime.debug
    kwargs["instrumentation_mode"] = triton.knobs.compilation.instrumentation_mode
    bound, kinds, options = binder(*args, **kwargs)
    key = (id(jit), repr(kinds), repr(options))
    if key not in _specializations:
        options, signature, constants, attributes = jit._pack_args(backend, kwargs, bound, kinds, options)
        _specializations[key] = specialize(jit, bound, kinds, options, (signature, constants, attributes))
    sizes = tuple(grid(bound) if callable(grid) else grid)
    sizes = tuple(int(size) for size in sizes) + (1,) * (3 - len(sizes))
    return Launch(_specializations[key], sizes, args, kwargs, bound, run)


def find(node, scope):
    """The value of a name or of a chain of attributes."""
    if isinstance(node, ast.Name):
        return scope.get(node.id)
    if isinstance(node, ast.Attribute):
        return getattr(find(node.value, scope), node.attr, None)
    return None


_multiplies = {}


def multiplies(jit):
    """Whether a kernel has matrix products, in itself or in what it calls."""
    if id(jit) not in _multiplies:
        _multiplies[id(jit)] = False  # also the answer for one that calls itself
        scope = jit.get_capture_scope()
        for node in ast.walk(jit.parse()):
            value = find(node, scope)
            methods = vars(value).values() if inspect.isclass(value) else [value]
            if value is tl.dot or value is tl.dot_scaled or any(isinstance(one, JITFunction) and multiplies(one) for one in methods):
                _multiplies[id(jit)] = True
                break
    return _multiplies[id(jit)]


POSITION = [0.5]  # of the configuration to start with, in an autotuner's list


def in_order(configs, count):
    """The configurations in the order in which they are tried. Those in the middle of lists are mostly like what users'
    measurements end at."""
    start = POSITION[0] * (len(configs) - 1) + 0.01
    return [config for _, config in sorted(enumerate(configs), key=lambda item: abs(item[0] - start))][:count]


def tune_without_measuring(tuner, *args, **kwargs):
    """In place of Autotuner.run: the first configuration that the device can run."""
    tuner.nargs = dict(zip(tuner.arg_names, args))
    try:
        configs = tuner.prune_configs(kwargs)
    except Exception:
        configs = tuner.configs
    problem = None
    for config in in_order(list(configs), 6):
        try:
            if config.pre_hook is not None:
                config.pre_hook({**tuner.nargs, **kwargs, **config.all_kwargs()})
            result = tuner.fn.run(*args, **kwargs, **config.all_kwargs())
        except (OutOfResources, CompilationError, PTXASError) as error:
            problem = error
            continue
        tuner.best_config = config
        return result
    raise problem


def hook(visit):
    """Gives every launch to `visit`, which may run it. Returns what undoes that."""
    run, tune = JITFunction.run, Autotuner.run
    tuners = [Autotuner]
    while any(more := [c for t in tuners for c in t.__subclasses__() if c not in tuners]):
        tuners += more
    tunes = {t: t.__dict__["run"] for t in tuners if "run" in t.__dict__}

    def hooked(jit, *args, grid, warmup=False, **kwargs):
        through_triton = lambda: run(jit, *args, grid=grid, warmup=False, **kwargs)
        if warmup or jit.is_gluon():
            return run(jit, *args, grid=grid, warmup=warmup, **kwargs)
        return visit(read(jit, args, grid, kwargs, through_triton))

    JITFunction.run = hooked
    for tuner in tunes:
        tuner.run = tune_without_measuring

    def undo():
        JITFunction.run = run
        for tuner, own in tunes.items():
            tuner.run = own

    return undo
