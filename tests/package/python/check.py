"""Calls the functions of the package `kern` with whatever of NumPy and PyTorch there is, and with a tensor of its own
that has nothing but DLPack.

  check.py FOLDER        that of the package
"""
import ctypes
import importlib
import io
import sys
import warnings

from checks import check, finish, numpy, refuses, torch, with_what_there_is

sys.path.insert(0, sys.argv[1])
import kern


# A tensor of nothing but the standard library -------------------------------------------------------------------------
class Description(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("byte_offset", ctypes.c_uint64), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Plain:
    def __init__(self, values, shape=None, device=(1, 0)):
        self.shape = shape or [len(values)]
        self.room = (ctypes.c_float * (len(values) + 16))()
        at = -ctypes.addressof(self.room) % 64
        self.values = (ctypes.c_float * len(values)).from_buffer(self.room, at)
        self.values[:] = values
        self.sizes = (ctypes.c_int64 * len(self.shape))(*self.shape)
        self.device = device

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, stream=None):
        self.description = Description(ctypes.addressof(self.values), *self.device, len(self.shape), 2, 32, 1,
                                       ctypes.addressof(self.sizes))
        return new_capsule(ctypes.addressof(self.description), b"dltensor", None)


def check_plain():
    x, y, out = Plain(range(100)), Plain([0.5] * 100), Plain([0.0] * 100)
    check(kern.add(x, y, out, SCALE=2) is None, "nothing is returned")
    check(list(out.values) == [2 * i + 0.5 for i in range(100)], "add of DLPack tensors")
    kern.add(x, None, out, SCALE=1)
    check(list(out.values) == list(range(100)), "add without y")
    kern.add(x, y, out, SCALE=1, grid=1)
    check(list(out.values) == [i + 0.5 if i < 64 else i for i in range(100)], "a grid of one's own")
    matrix, scales, result = Plain(range(1, 7), [2, 3]), Plain([1.0] * 3), Plain([0.0] * 6, [2, 3])
    check(kern.rms_norm(matrix, scales, out=result) is result, "the given output is returned")
    check(abs(result.values[0] - (3 / 14) ** 0.5) < 1e-4, "rms_norm of DLPack tensors")
    refuses(TypeError, "rms_norm: 'out' has to be given", kern.rms_norm, matrix, scales)
    refuses(ValueError, "rms_norm: 'out' has to have the sizes (2, 3), as out=empty_like(x) has, not (1, 6)", kern.rms_norm, matrix,
            scales, out=Plain([0.0] * 6, [1, 6]))
    refuses(TypeError, "add: 'x' has to be a tensor of float32, not a value of the type list", kern.add, [1.0], y, out,
            SCALE=1)
    refuses(TypeError, "add: 'out' has to be a tensor of float32, not None", kern.add, x, y, None, SCALE=1)
    refuses(ValueError, "no variant accepts this call", kern.add, x, y, out, SCALE=3)
    refuses(kern.NoVariantError, "SCALE=3", kern.add, x, y, out, SCALE=3)
    refuses(TypeError, "add: 'SCALE' has to be an integer", kern.add, x, y, out, SCALE="1")
    refuses(ValueError, "add: 'SCALE' is 4294967296, which int32 cannot hold", kern.add, x, y, out, SCALE=1 << 32)
    refuses(ValueError, "rms_norm: 'x' has 1 dimensions, and the axis 1 is used", kern.rms_norm, x, scales, out=result)
    refuses(ValueError, "rms_norm: the arguments have to be such that w.shape[0] == N", kern.rms_norm, matrix, x,
            out=result)
    refuses(ValueError, "add: 'y' is on CUDA 0, and 'x' is on CPU 0", kern.add, x, Plain([1.0], device=(2, 0)), out,
            SCALE=1)
    refuses(ValueError, "'y' is on a device of DLPack's type 8", kern.add, x, Plain([1.0], device=(8, 0)), out, SCALE=1)
    refuses(ValueError, "grid", kern.add, x, y, out, SCALE=1, grid=(1, 2, 3, 4))
    empty = Plain([])
    kern.add(empty, empty, empty, SCALE=1)

    check([row["condition"] for row in kern.add.variants()] == [None] * 4, "four variants")
    check(all("cpu" in row["targets"] for row in kern.add.variants()), "variants' targets")
    check(len(kern.rms_norm.variants()) == 2, "variants of both types")
    text = kern.add.explain(x, None, out, SCALE=2)
    check("y=None" in text and "runs" in text, "explain: " + text)
    number = next(row["number"] for row in kern.add.variants()
                  if "SCALE=2" in row["signature"] and "y=None" not in row["signature"])
    kern.add.force(number, x, y, out, SCALE=2)
    refuses(kern.NoVariantError, "SCALE", kern.add.force, number, x, y, out, SCALE=1)
    for wrong, error, words in ((-1, ValueError, "there is no variant -1"), (2**32 + number, ValueError, "there is no variant 42949"),
                                (9, ValueError, "there is no variant 9"), (0.0, TypeError, "not a value of the type float"),
                                ("a", TypeError, "add: the variant's number has to be an integer, not a value of the type str")):
        refuses(error, words, kern.add.force, wrong, x, y, out, SCALE=2)
    for call in (kern.add.explain, lambda *arguments, **keywords: kern.add.force(0, *arguments, **keywords)):
        refuses(TypeError, "add() missing 1 required positional argument: 'out'" if sys.version_info >= (3, 10) else "'out'",
                call, x, y, SCALE=2)
    threads = kern.num_threads()
    for wrong, error in ((-1, ValueError), (2**32 + 1, ValueError), (1.5, TypeError), ("2", TypeError)):
        refuses(error, "threads", kern.set_num_threads, wrong)
    check(kern.num_threads() == threads, "threads that are none")
    check("Variants:" in kern.rms_norm.__doc__ and "out=empty_like(x)" in kern.rms_norm.__doc__, "documentation")
    import inspect

    check(str(inspect.signature(kern.rms_norm)) == "(x, w, eps=1e-06, *, out=None, grid=None, stream=None)",
          "signature: " + str(inspect.signature(kern.rms_norm)))
    check(str(inspect.signature(kern.add)) == "(x, y, out, *, SCALE, grid=None, stream=None)",
          "signature: " + str(inspect.signature(kern.add)))
    check(kern.__version__ == "1.2.0", "version")
    check(kern.num_threads() >= 1, "number of threads")
    kern.set_num_threads(1)
    check(kern.num_threads() == 1, "one thread")
    kern.load()


def check_numpy():
    x = numpy.arange(12, dtype=numpy.float32).reshape(3, 4)
    w = numpy.linspace(0.5, 1, 4, dtype=numpy.float32)
    expected = x / numpy.sqrt((x * x).mean(1, keepdims=True) + 1e-6) * w
    out = kern.rms_norm(x, w)
    check(type(out) is numpy.ndarray and numpy.allclose(out, expected, atol=1e-5), "rms_norm of NumPy")
    half = kern.rms_norm(x.astype(numpy.float16), w.astype(numpy.float16), 1e-6)
    check(half.dtype == numpy.float16 and numpy.allclose(half, expected, atol=1e-2), "rms_norm of NumPy, half")
    wide = numpy.zeros((3, 8), numpy.float32)
    wide[:, :4] = x
    kern.rms_norm(wide[:, :4], w, out=wide[:, 4:])
    check(numpy.allclose(wide[:, 4:], expected, atol=1e-5), "views of NumPy")
    refuses(TypeError, "rms_norm: 'x' has to be a tensor of float32 or float16, not of float64", kern.rms_norm,
            x.astype(float), w)
    refuses(TypeError, "there is no function for these types together: x is of float32, w is of float16", kern.rms_norm,
            x, w.astype(numpy.float16))
    refuses(TypeError, "not of the other byte order", kern.rms_norm, x.astype(">f4"), w)
    frozen = numpy.zeros_like(x)
    frozen.flags.writeable = False
    refuses(ValueError, "'out' is written to, and its memory is read-only", kern.rms_norm, x, w, out=frozen)
    refuses(ValueError, "add: 'x' has to be contiguous", kern.add, numpy.zeros(64, numpy.float32)[::2], None, w, SCALE=1)
    room = numpy.zeros(80, numpy.float32)
    at = -room.ctypes.data % 16 // 4
    refuses(ValueError, "add: 'x' has to lie at an address that is divisible by 16", kern.add, room[at + 1:at + 9],
            None, room[at + 16:at + 24], SCALE=1)
    check(kern.rms_norm(numpy.zeros((0, 4), numpy.float32), w).shape == (0, 4), "an empty array")
    long = numpy.arange(100, dtype=numpy.float32)
    sums, doubled = kern.parts(long)
    check(sums.tolist() == [sum(range(64)), sum(range(64, 100))] and (doubled == 2 * long).all(), "two outputs")
    refuses(ValueError, "copy: 'out' has to be given, as 'like' is None", kern.copy, long, None)
    check((kern.copy(long, None, out=doubled) == long).all() and (kern.copy(long, doubled) == long).all(), "like what may be None")
    refuses(ValueError, "rms_norm: 'out' has to have the sizes (3, 4), as out=empty_like(x) has, not (2, 4)", kern.rms_norm, x, w,
            out=numpy.zeros((2, 4), numpy.float32))
    refuses(ValueError, "parts: 'sums' has to have the sizes (2,), as sums=zeros(cdiv(n, 64), like=x) has, not (1,)", kern.parts, long,
            sums=sums[:1])
    check(kern.parts(long, sums=sums, doubled=doubled)[0] is sums, "outputs of the right sizes")
    check("Returns sums, doubled." in kern.parts.__doc__, "their order: " + kern.parts.__doc__)
    check(numpy.allclose(kern.rms_norm(x[::-1], w), expected[::-1], atol=1e-5), "a negative stride")
    refuses(TypeError, "'x' is a masked array", kern.rms_norm, numpy.ma.array(x, mask=x > 3), w)
    refuses(TypeError, "'eps' has to be a number, not a value of the type str", kern.rms_norm, x, w, "1e-6")
    refuses(TypeError, "'grid' has to be an integer, or up to three of them", kern.rms_norm, x, w, grid=1.5)

    class Own(numpy.ndarray):
        pass

    check(type(kern.rms_norm(x.view(Own), w)) is Own, "a subclass of NumPy's arrays")



def check_library_looks(x, w, expected):
    """The library looks at PyTorch's tensors itself, and only what is not as usual comes to the package."""
    function = next(f for f in kern._package.functions if f.name == "rms_norm")
    came = []

    def watch(*arguments):
        came.append(arguments)
        return function.run(*arguments)

    for kind in (torch.Tensor, torch.nn.Parameter):
        function.bodies[kind] = watch
    given = torch.empty_like(x)
    with torch.inference_mode():
        check(kern.rms_norm(x.clone(), w).is_inference(), "an output in inference mode")
    check(kern.rms_norm(torch.nn.Parameter(x), w).requires_grad is False, "an output like a parameter")
    check(kern.rms_norm(x, w, 1e-6, out=given) is given and torch.allclose(given, expected, atol=1e-5), "a given output")
    check(type(kern.rms_norm(x, w=w, eps=1)) is torch.Tensor, "by name, and an integer for a float")
    check(torch.allclose(kern.rms_norm(x, w, grid=(5,)), expected, atol=1e-5), "a given grid")
    check(not came, "nothing comes to the package")
    version = given._version
    kern.rms_norm(x, w, out=given)
    check(given._version == version + 1, "autograd's version")
    kern.rms_norm(x, w, stream=0)
    refuses(TypeError, "rms_norm: 'eps' has to be a number", kern.rms_norm, x, w, None)
    refuses(TypeError, "rms_norm: 'w' has to be a tensor", kern.rms_norm, x, None)
    refuses(ValueError, "rms_norm: the arguments have to be such that w.shape[0] == N", kern.rms_norm, x, w[1:])
    seen = []

    class Mode(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
            seen.append(str(function))
            return function(*arguments, **(keywords or {}))

    with Mode():
        kern.rms_norm(x, w)
    check("kern.rms_norm.default" in seen, "a mode sees the operator: {}".format(seen))
    check(len(came) == 5, "the rest does: {}".format(len(came)))
    check(torch.allclose(kern.rms_norm(x, w), expected, atol=1e-5), "and everything works after that")
    for kind in (torch.Tensor, torch.nn.Parameter):
        del function.bodies[kind]


def check_torch():
    x, w = torch.randn(5, 96), torch.rand(96)
    expected = x * torch.rsqrt((x * x).mean(1, keepdim=True) + 1e-6) * w
    check(torch.allclose(kern.rms_norm(x, w), expected, atol=1e-5), "rms_norm of PyTorch")
    check(torch.allclose(kern.rms_norm(x, torch.nn.Parameter(w)), expected, atol=1e-5), "a parameter")
    half = kern.rms_norm(x.half(), w.half())
    check(half.dtype is torch.float16 and torch.allclose(half.float(), expected, atol=2e-2), "half")
    into = torch.zeros(5, 200)
    check(kern.rms_norm(x, w, out=into[:, 3:99]) is not None and torch.allclose(into[:, 3:99], expected, atol=1e-5),
          "a view to write to")
    if numpy:
        mixed = numpy.zeros((5, 96), numpy.float32)
        kern.rms_norm(x, w, out=mixed)
        check(numpy.allclose(mixed, expected.numpy(), atol=1e-5), "PyTorch and NumPy together")
    for wrong in (torch.zeros(4, 96), torch.zeros(480), torch.zeros(5, 97), torch.zeros(())):
        refuses(ValueError, "rms_norm: 'out' has to have the sizes (5, 96), as out=empty_like(x) has, not {}".format(tuple(wrong.shape)),
                kern.rms_norm, x, w, out=wrong)
        refuses(ValueError, "rms_norm: 'out' has to have the sizes (5, 96)", kern.rms_norm.explain, x, w, out=wrong)
    a = torch.arange(100.0)
    refuses(ValueError, "copy: 'out' has to be given, as 'like' is None", kern.copy, a, None)
    check(torch.equal(kern.copy(a, None, out=torch.empty(100)), a) and torch.equal(kern.copy(a, a + 1), a), "like what may be None")
    refuses(ValueError, "parts: 'sums' has to have the sizes (2,), as sums=zeros(cdiv(n, 64), like=x) has, not (1,)", kern.parts, a,
            sums=torch.zeros(1))
    kept = torch.zeros(2), torch.zeros(100)
    check(kern.parts(a, sums=kept[0], doubled=kept[1])[1] is kept[1], "outputs of the right sizes")
    refuses(TypeError, "'x' has to be a tensor of float32 or float16, not of bfloat16", kern.rms_norm, x.bfloat16(), w)
    refuses(ValueError, "'x' is on the device 'meta'", kern.rms_norm, x.to("meta"), w)
    refuses(ValueError, "'x' has to be contiguous", kern.add, torch.zeros(8, 8).t(), None, into, SCALE=1)
    refuses(TypeError, "has the layout", kern.rms_norm, x.to_sparse(), w)
    check(kern.rms_norm(x[:0], w).shape == (0, 96), "an empty tensor")
    # It has no address, and a kernel may be given one where it looks at nothing.
    check(torch.empty(0).data_ptr() == 0 and kern.nothing(torch.empty(0), torch.empty(0, 3), w, 1) is None, "tensors without an address")
    opposite = torch.zeros(8, dtype=torch.complex64).conj().imag
    refuses(ValueError, "'x' is a lazy conjugate or negative", kern.nothing, opposite, w, w, 1)

    if hasattr(torch.Tensor, "__dlpack_c_exchange_api__") and sys.implementation.name == "cpython":
        check_library_looks(x, w, expected)
    if not hasattr(torch.library, "register_fake"):
        return
    schema = str(torch.ops.kern.rms_norm.default._schema)
    check("Tensor(a3!) out" in schema and "Tensor x" in schema, "the operator's schema: " + schema)
    torch.library.opcheck(torch.ops.kern.rms_norm.default, (x, w, 1e-6, torch.empty_like(x), None))

    def model(x, w):
        return kern.rms_norm(x + 1, w) * 2

    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    check(torch.allclose(compiled(x, w), model(x, w), atol=1e-5), "torch.compile")
    check(torch.allclose(compiled(x[:3], w), model(x[:3], w), atol=1e-5), "torch.compile, another shape")

    class Module(torch.nn.Module):
        def forward(self, x, w):
            return model(x, w)

    taller = torch.randn(9, 96)
    for strict in (True, False):
        sizes = {"x": {0: torch.export.Dim("rows", min=2, max=100)}, "w": None}
        exported = torch.export.export(Module(), (x, w), dynamic_shapes=sizes, strict=strict)
        check("kern.rms_norm" in str(exported.graph), "torch.export has the operator")
        file = io.BytesIO()
        torch.export.save(exported, file)
        file.seek(0)
        check(torch.allclose(torch.export.load(file).module()(taller, w), model(taller, w), atol=1e-5),
              "torch.export, saved and loaded, with another size")

    def add_part(x):
        out = torch.full_like(x, -1)
        kern.add(x, None, out, SCALE=2, grid=1)
        return out

    long = torch.arange(100.0)
    check(torch.equal(torch.compile(add_part, fullgraph=True, backend="aot_eager")(long), add_part(long)),
          "torch.compile, a grid of one's own")

    refuses(ValueError, "'out' has to have the sizes (5, 96)",
            torch.compile(lambda x, w, out: kern.rms_norm(x, w, out=out), fullgraph=True, backend="aot_eager"), x, w, torch.zeros(4, 96))

    def narrow(x, w):
        return kern.rms_norm(x, w[1:])

    refuses(ValueError, "w.shape[0] == N", torch.compile(narrow, fullgraph=True, backend="aot_eager"), x, w)

    # What traces or transforms calls sees an operator.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        traced = torch.jit.trace(lambda x: kern.rms_norm(x, w), (x,))
    check(torch.allclose(traced(taller), kern.rms_norm(taller, w), atol=1e-5), "torch.jit.trace")
    graph = torch.fx.experimental.proxy_tensor.make_fx(model)(x, w)
    check("kern.rms_norm" in str(graph.graph) and torch.allclose(graph(x, w), model(x, w), atol=1e-5), "make_fx")
    refuses(RuntimeError, "kern::rms_norm", torch.vmap(lambda x: kern.rms_norm(x, w)), torch.randn(3, 5, 96))

    # A derivative of 0 would be wrong.
    def total(x):
        return kern.rms_norm(x, w).sum()

    words = "rms_norm: 'x' is differentiated, and there is no rule for it"
    refuses(RuntimeError, words, torch.func.grad(total), x)
    refuses(RuntimeError, words, torch.func.vjp, total, x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch warns of itself.
        refuses(RuntimeError, words, torch.func.jvp, total, (x,), (x,))
    with torch.autograd.forward_ad.dual_level():
        refuses(RuntimeError, words, total, torch.autograd.forward_ad.make_dual(x, torch.ones_like(x)))
        check(torch.allclose(kern.rms_norm(x, w), kern.rms_norm(x.clone(), w)), "in forward mode, of what is not")
    check(torch.func.grad(lambda x: (x * kern.rms_norm(x.detach(), w)).sum())(x).any(), "a part that is not differentiated")

    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return kern.rms_norm(x, w)

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 2

    check(torch.equal(torch.func.grad(lambda x: Doubled.apply(x).sum())(x), torch.full_like(x, 2)), "a rule around it")

    # Autograd knows that memory has changed.
    for give in (kern.add, lambda x, y, out, SCALE: torch.ops.kern.add(x, y, out, SCALE, None)):
        factor = torch.ones(64)
        product = torch.randn(64, requires_grad=True) * factor
        give(long[:64], None, factor, SCALE=1)
        refuses(RuntimeError, "modified by an inplace operation", product.sum().backward)

    importlib.reload(kern)
    again = torch.compile(lambda x, w: kern.rms_norm(x, w) + 1, fullgraph=True, backend="aot_eager")
    check(torch.allclose(again(taller, w), kern.rms_norm(taller, w) + 1), "the package, imported again")


with_what_there_is(check_numpy, check_torch)
finish()
