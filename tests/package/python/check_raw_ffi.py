"""What a library exports for the TVM FFI, called by ctypes, without and with a stand-in for that package.

  check_raw_ffi.py FOLDER          with the package `kern` and libkern.so of kernels.py, libgpu.so of a kernel for cuda:80, the package `expressions`
                                   and its library with its list, expressions.json, and both of stand_in.c's libraries
"""
import ctypes
import json
import math
import os
import random
import struct
import sys
from fractions import Fraction

import raw_ffi
from checks import check, finish
from raw_ffi import tensor

folder = os.path.abspath(sys.argv[1])
sys.path.insert(0, folder)
kern = raw_ffi.Library(os.path.join(folder, "libkern.so"))
kern.library.kern_last_error.restype = ctypes.c_char_p
memory = (ctypes.c_float * 1024)()
start = ctypes.addressof(memory) + -ctypes.addressof(memory) % 64


def floats(first, count):
    return (ctypes.c_float * count).from_address(start + 4 * first)


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Memory:
    """What DLPack knows of a tensor."""

    def __init__(self, description):
        self.description = description

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, stream=None):
        return new_capsule(ctypes.addressof(self.description), b"dltensor", None)


def check_without():
    """There is nobody to tell of errors."""
    for i in range(100):
        floats(0, 100)[i], floats(128, 100)[i], floats(256, 100)[i] = i, 0.5, -1
    x, y, out = tensor(start, [100]), tensor(start + 512, [100]), tensor(start + 1024, [100])
    code, result = kern.call("add", x, y, out, 2)
    check(code == 0 and result.type == raw_ffi.NONE, "add succeeds")
    check(list(floats(256, 100)) == [2 * i + 0.5 for i in range(100)], "add")
    code, result = kern.call("add", x, y, out, 3)
    check(code == -1 and b"SCALE=3" in kern.library.kern_last_error(), "the words of an error")


def check_errors(other):
    def refuses(kind, text, name, *values):
        code, _ = kern.call(name, *values)
        check(code == -1, "accepted: {} {}".format(name, text))
        check(other.last_kind() == kind and text.encode() in other.last_message(),
              "expected {} '{}', not {} '{}'".format(kind, text, other.last_kind(), other.last_message()))

    x, y, out = tensor(start, [64]), tensor(start + 512, [64]), tensor(start + 1024, [64])
    matrix, w = tensor(start, [2, 32]), tensor(start + 512, [32])
    refuses(b"TypeError", "add: 'x' has to be a tensor of float32, not of float64", "add",
            tensor(start, [64], bits=64), y, out, 1)
    refuses(b"TypeError", "add: 'x' has to be a tensor of float32, not an integer", "add", 1, y, out, 1)
    refuses(b"TypeError", "add: 'out' has to be a tensor of float32, not None", "add", x, y, None, 1)
    refuses(b"TypeError", "add: 'SCALE' has to be an integer, not a floating-point number", "add", x, y, out, 1.0)
    refuses(b"TypeError", "add: the argument 'SCALE' is missing", "add", x, y, out)
    refuses(b"TypeError", "add: takes at most 5 arguments, and 6 were given", "add", x, y, out, 1, 1, 1)
    refuses(b"ValueError", "add: 'SCALE' is 2147483648, which int32 cannot hold", "add", x, y, out, 1 << 31)
    refuses(b"ValueError", "add: 'SCALE' is -2147483649, which int32 cannot hold", "add", x, y, out, -(1 << 31) - 1)
    refuses(b"ValueError", "add: no variant accepts this call", "add", x, y, out, 3)
    refuses(b"ValueError", "add: 'y' is on another device than 'x'", "add", x, tensor(start, [64], device=(2, 0)), out, 1)
    refuses(b"ValueError", "add: 'y' is on a device of DLPack's type 8", "add", x, tensor(start, [64], device=(8, 0)), out, 1)
    refuses(b"ValueError", "add: 'x' has to be contiguous", "add", tensor(start, [32], [2]), y, out, 1)
    refuses(b"ValueError", "divisible by 16", "add", tensor(start + 4, [32]), y, out, 1)
    refuses(b"ValueError", "'x' has no memory", "add", tensor(0, [32]), y, out, 1)
    refuses(b"ValueError", "'grid' is -1, which uint32 cannot hold", "add", x, y, out, 1, -1)
    refuses(b"TypeError", "'grid' has to be an integer", "add", x, y, out, 1, "1")
    refuses(b"TypeError", "rms_norm: 'eps' has to be a number, not a text", "rms_norm", matrix, w, "1")
    refuses(b"ValueError", "rms_norm: 'x' has 1 dimensions, and the axis 1 is used", "rms_norm", x, w)
    refuses(b"ValueError", "rms_norm: the arguments have to be such that w.shape[0] == N", "rms_norm", matrix, x)
    refuses(b"TypeError", "there is no function for these types together: x is of float32, w is of float16", "rms_norm",
            matrix, tensor(start, [32], bits=16))
    refuses(b"ValueError", "'out' has to be given, as the axes of 'x' lie in another order", "rms_norm",
            tensor(start, [4, 4], [1, 4]), tensor(start, [4]))
    check(other.count_objects() == 0, "failed calls keep no tensors")

    # An output that the function makes is the caller's.
    for i in range(64):
        floats(0, 64)[i], floats(128, 64)[i] = i % 32 + 1, 1
    code, result = kern.call("rms_norm", matrix, w)
    check(code == 0 and result.type == raw_ffi.TENSOR and other.count_objects() == 1, "an output")
    made = raw_ffi.Tensor.from_address(result.pointer + 24)
    check((made.rank, made.shape[0], made.shape[1], made.strides[0], made.strides[1]) == (2, 2, 32, 32, 1), "its sizes")
    check(abs(ctypes.c_float.from_address(made.data).value - (sum(i * i for i in range(1, 33)) / 32) ** -0.5) < 1e-4,
          "its first element")
    other.TVMFFIObjectDecRef(ctypes.c_void_p(result.pointer))
    check(other.count_objects() == 0, "it goes")
    code, result = kern.call("rms_norm", matrix, w, None, tensor(start + 1024, [2, 32]))
    check(code == 0 and result.type == raw_ffi.NONE, "a tensor that is nobody's is not returned")


def check_expressions():
    """The same from the library, from the package, and from Python itself."""
    import expressions

    with open(os.path.join(folder, "expressions.json")) as file:
        texts = json.load(file)
    library = raw_ffi.Library(os.path.join(folder, "libexpressions.so"))
    out = (ctypes.c_int64 * 2)()

    class Known:
        def __init__(self, shape, strides):
            self.shape, self.stride, self.ndim = shape, strides.__getitem__, len(shape)

        def size(self, axis):
            return self.shape[axis]

        def numel(self):
            count = 1
            for size in self.shape:
                count *= size
            return count

    def cdiv(a, b):
        return -(-a // b)

    space = {"cdiv": cdiv, "min": min, "max": max, "next_power_of_2": lambda n: 1 << max(n - 1, 0).bit_length()}
    count = 0
    for shape, strides, a, b in (((2, 3), (3, 1), 5, -7), ((4, 0), (-4, 1), 0, 0), ((1, 6), (0, 2), -8, 3),
                                 ((7, 5), (1, 7), 1 << 40, -1)):
        x, into = tensor(start, shape, strides), tensor(ctypes.addressof(out), [2], code=0, bits=64)
        for number, text in enumerate(texts):
            out[0], out[1] = 1 << 60, 1 << 60
            try:
                wanted = eval(text, dict(space, x=Known(shape, strides), a=a, b=b))
            except ZeroDivisionError:
                wanted = None
            if wanted is not None and not (isinstance(wanted, int) and abs(wanted) < 1 << 63):
                wanted = None
            code, _ = library.call("value_{}".format(number), x, into, a, b)
            got = int(out[0]) if code == 0 else None
            check(got == wanted, "{} is {} in the library, not {}, for {} {} {} {}".format(text, got, wanted, shape,
                                                                                           strides, a, b))
            out[0] = 1 << 60
            try:
                getattr(expressions, "value_{}".format(number))(Memory(x), Memory(into), a, b)
                got = int(out[0])
            except (ValueError, TypeError):
                got = None
            check(got == wanted, "{} is {} in the package, not {}".format(text, got, wanted))
            count += wanted is not None
    check(count > len(texts), "most expressions have values")


def nearest(value, bits_of):
    """The number of a format that is nearest to a value, and even where two are; None beyond the largest. `bits_of` gives
    all of the format's numbers by their bits, which grow with the numbers."""
    if value != value or abs(value) == float("inf"):
        return value
    low, high = 0, 0x7fff
    while low < high:  # The largest that is no more than the value.
        middle = (low + high + 1) // 2
        number = bits_of(middle)
        low, high = (middle, high) if number == number and number <= abs(value) else (low, middle - 1)
    below, above = bits_of(low), bits_of(low + 1)
    if above == float("inf"):
        above = 2 * below - bits_of(low - 1)
        largest = True
    else:
        largest = False
    to_below, to_above = Fraction(abs(value)) - Fraction(below), Fraction(above) - Fraction(abs(value))
    up = to_above < to_below or (to_above == to_below and low % 2 == 1)
    if up and largest:
        return None
    return math.copysign(above if up else below, value)


def check_numbers():
    import kern as package

    out = (ctypes.c_double * 3).from_address(start + 2048)
    into = tensor(start + 2048, [3], bits=64)
    half = lambda bits: struct.unpack("<e", struct.pack("<H", bits))[0]
    bfloat = lambda bits: struct.unpack("<f", struct.pack("<I", bits << 16))[0]
    source = random.Random(5)
    values = [0.0, -0.0, 1.0, 65504.0, 65519.99, 65520.0, 6e-8, 2.98e-8, 2.99e-8, 6.1e-5, 3.38e38, 3.4e38, -1e39, 1e-40, 9.2e-41,
              1 / 3, 1.00048828125, 1.00146484375, 1.00390625, 1.01171875, 2049.0, 2051.0, float("inf"), -float("inf")]
    values += [source.uniform(-1, 1) * 10 ** source.uniform(-12, 6) for _ in range(200)]
    for value in values:
        for place, bits_of in ((0, half), (1, bfloat)):
            numbers = [0.0, 0.0]
            numbers[place] = value
            wanted = nearest(value, bits_of)
            out[place] = 9
            code, _ = kern.call("numbers", into, *numbers, 0)
            got = out[place] if code == 0 else None
            check(repr(got) == repr(wanted), "{} is {} in the library, not {}".format(value, got, wanted))
            out[place] = 9
            try:
                package.numbers(Memory(into), *numbers, 0)
                got = out[place]
            except ValueError:
                got = None
            check(repr(got) == repr(wanted), "{} is {} in the package, not {}".format(value, got, wanted))
    for value in (0, 1, 1 << 63, -1):
        code, _ = kern.call("numbers", into, 0.0, 0.0, value) if value < 1 << 63 else (None, None)
        check(code in (None, -1 if value < 0 else 0), "an unsigned number: {}".format(value))


def check_streams(other):
    driver = ctypes.CDLL("libcuda.so.1")
    driver.last_stream.restype = ctypes.c_void_p
    gpu = raw_ffi.Library(os.path.join(folder, "libgpu.so"))
    for device, stream in ((0, 0x7000), (1, None)):
        code, _ = gpu.call("scale", tensor(1 << 20, [64], device=(2, device)))
        check(code == 0, "a launch on device {}: {}".format(device, other.last_message()))
        check((driver.last_stream(), driver.last_device()) == (stream, device), "the stream of device {}".format(device))
        check(driver.is_back(), "the device that was current is so again")
    code, _ = gpu.call("scale", tensor(1 << 20, [0], device=(2, 0)))
    check(code == 0 and driver.count_launches() == 2, "nothing is launched for an empty tensor")


check_without()
other = ctypes.CDLL(os.path.join(folder, "libtvm_ffi.so"))
other.last_kind.restype = other.last_message.restype = ctypes.c_char_p
check_errors(other)
check_expressions()
check_numbers()
check_streams(other)
finish()
