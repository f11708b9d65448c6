"""The library's own way for PyTorch's tensors, with a framework that pretends to be PyTorch and to have tensors on two GPUs.

  check_python_call.py FOLDER      with the packages `kern` and `gpu`, and the driver of stand_in.c in LD_LIBRARY_PATH
"""
import ctypes
import gc
import os
import sys
import threading
import weakref

from checks import check, finish, refuses

folder = os.path.abspath(sys.argv[1])
sys.path.insert(0, folder)
import gpu
import kern

driver = ctypes.CDLL("libcuda.so.1")
driver.last_stream.restype = ctypes.c_void_p
memory = (ctypes.c_float * 1024)()
start = ctypes.addressof(memory) + -ctypes.addressof(memory) % 64
CODES = {"float32": (2, 32), "float16": (2, 16), "complex64": (5, 64)}


class Tensor:
    """Of memory at an address; the host's if the device is (1, 0)."""

    def __init__(self, address, shape, device=(1, 0), dtype="float32", strides=None):
        self.address, self.device, self.dtype = address, device, dtype
        self.shape = (ctypes.c_int64 * max(len(shape), 1))(*shape)
        self.rank = len(shape)
        steps = [1] * len(shape)
        for axis in reversed(range(len(shape) - 1)):
            steps[axis] = steps[axis + 1] * shape[axis + 1]
        self.strides = (ctypes.c_int64 * max(len(shape), 1))(*(strides or steps))
        self.is_negative = False

    def numel(self):
        if tracing:
            return self
        count = 1
        for size in self.shape[:self.rank]:
            count *= size
        return count

    def is_neg(self):
        return self.is_negative

    def new_empty(self, sizes, dtype=None):
        return allocate(self, sizes, dtype)

    def new_zeros(self, sizes, dtype=None):
        made = allocate(self, sizes, dtype)
        ctypes.memset(made.address, 0, 4 * made.numel())
        return made


class Parameter(Tensor):
    pass


class Other(Tensor):
    pass


def allocate(like, sizes, dtype):
    check(type(sizes) is tuple and all(type(size) is int for size in sizes), "sizes")
    made.append((tuple(sizes), dtype))
    if failing_allocation:
        raise MemoryError("no more")
    result = Tensor(start + 1536 + 512 * len(made), sizes, like.device, dtype or like.dtype)
    alive.add(result)
    return result


def empty_like(tensor, dtype=None):
    return allocate(tensor, tuple(tensor.shape[:tensor.rank]), dtype)


variables, alive = {"level": -1}, weakref.WeakSet()
made, slow, bumped, failing_allocation, tracing, modes = [], [], [], False, False, 0


# DLPack's table of functions ---------------------------------------------------------------------------------------------
class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64)]


Look = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(DLTensor))
GetStream = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))


def look(address, out):
    tensor = ctypes.cast(address, ctypes.py_object).value
    if tensor.dtype == "none":
        return -1
    out[0] = DLTensor(tensor.address, *tensor.device, tensor.rank, *CODES[tensor.dtype], 1,
                      ctypes.addressof(tensor.shape), ctypes.addressof(tensor.strides), 0)
    return 0


def get_stream(kind, device, out):
    check(kind == 2, "streams are asked for of GPUs only")
    out[0] = 0x7000 + device
    return 0


class Exchange(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("older", ctypes.c_void_p),
                ("allocate", ctypes.c_void_p), ("own", ctypes.c_void_p), ("give", ctypes.c_void_p), ("look", Look),
                ("get_stream", GetStream)]


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
exchange = Exchange(1, 3, None, None, None, None, Look(look), GetStream(get_stream))
newer, future = Exchange(2, 0, ctypes.addressof(exchange)), Exchange(2, 0)


def capsule_of(table):
    return new_capsule(ctypes.addressof(table), b"dlpack_exchange_api", None)


# Functions of the packages, as they are made for PyTorch -----------------------------------------------------------------
def fail(status):
    raise RuntimeError("status {}".format(status))


def function_of(package, name, makers=(), table=exchange):
    """The library's function, and the one of the package, which here only notes that it is called."""
    function = next(f for f in package._package.functions if f.name == name)
    make = package._package.find_python_function()

    def other(*arguments):
        slow.append((name, arguments))
        return "slowly"

    by_argument = [None] * len(function.arguments)
    for argument, maker in makers:
        by_argument[function.arguments.index(function.by_name[argument])] = maker
    found = []
    make(name.encode(), (other, {}, fail, Tensor, Parameter, lambda: modes, Tensor.numel, Tensor.is_neg, variables, "level",
                         bumped.append, tuple(by_argument),
                         function.place_of_decider(), capsule_of(table)), found.append)
    check([each.__name__ for each in found] == ([name] if table is not future else []), "its name")
    return found[0] if found else None


def floats(address, count):
    return list((ctypes.c_float * count).from_address(address))


def is_slow(function, *arguments):
    launches = driver.count_launches()
    check(function(*arguments) == "slowly" and slow.pop()[1] == arguments and driver.count_launches() == launches,
          "left to the package, and nothing runs: {}".format(arguments))


def check_host():
    global modes, tracing
    add = function_of(kern, "add")
    for i in range(100):
        memory_at = (ctypes.c_float * 512).from_address(start)
        memory_at[i], memory_at[128 + i], memory_at[256 + i] = i, 0.5, -1
    x, y, out = Tensor(start, [100]), Parameter(start + 512, [100]), Tensor(start + 1024, [100])
    check(add(x, y, out, 2, None, None) is None, "nothing is returned")
    check(floats(start + 1024, 100) == [2 * i + 0.5 for i in range(100)], "add")
    check(bumped == [(out,)], "autograd is told of what was written")
    bumped.clear()
    check(add(x, None, out, True, None, None) is None, "None, and a truth value")
    check(floats(start + 1024, 100) == list(range(100)), "add without y")
    bumped.clear()

    for grid in (1, (1,), [1], (1, 1), (1, 1, 1)):
        ctypes.memset(start + 1024, 0, 400)
        check(add(x, y, out, 2, grid, None) is None, "a grid")
        check(floats(start + 1024, 100) == [2 * i + 0.5 if i < 64 else 0 for i in range(100)], "its program")
    bumped.clear()

    # Everything else is the package's.
    for grid in ((), (1, 1, 1, 1), (1.0,), (1, True), -1, 1 << 32, 1 << 64, True, "1", (1, object)):
        is_slow(add, x, y, out, 2, grid, None)
    is_slow(add, x, y, out, 2, None, 7)
    is_slow(add, x, y, out, None, None, None)
    is_slow(add, x, y, out, 1 << 40, None, None)
    is_slow(add, x, y, out, 1 << 70, None, None)
    is_slow(add, x, y, out, 1.0, None, None)
    is_slow(add, x, y, out, "1", None, None)
    is_slow(add, x, y, out, [], None, None)
    is_slow(add, None, y, out, 1, None, None)
    is_slow(add, x, y, None, 1, None, None)
    is_slow(add, Other(start, [100]), y, out, 1, None, None)
    is_slow(add, 5, y, out, 1, None, None)
    is_slow(add, x, object, out, 1, None, None)
    is_slow(add, Tensor(start + 4, [100]), y, out, 1, None, None)
    is_slow(add, Tensor(start, [100], dtype="float16"), y, out, 1, None, None)
    is_slow(add, Tensor(start, [100], dtype="complex64"), y, out, 1, None, None)
    is_slow(add, Tensor(start, [100], dtype="none"), y, out, 1, None, None)
    is_slow(add, Tensor(start, [100], device=(8, 0)), y, out, 1, None, None)
    is_slow(add, Tensor(start, [50], strides=[2]), y, out, 1, None, None)
    is_slow(add, Tensor(0, [100]), y, out, 1, None, None)
    is_slow(add, x, y, out, 1, None)
    single = Tensor(start, [1, 1])
    check(add(single, None, out, 1, None, None) is None, "a single element")
    bumped.clear()
    single.is_negative = True
    is_slow(add, single, None, out, 1, None, None)
    modes = 1
    is_slow(add, x, y, out, 1, None, None)
    modes, tracing = 0, True
    is_slow(add, x, y, out, 1, None, None)
    tracing = False
    variables["level"] = 0
    is_slow(add, x, y, out, 1, None, None)
    variables["level"] = None
    is_slow(add, x, y, out, 1, None, None)
    variables["level"] = -1
    check(bumped == [], "what did not run was not written")
    refuses(RuntimeError, "status 2", add, x, y, out, 3, None, None)
    check("SCALE=3" in kern._package.last_error(), "the library's words")
    is_slow(add, x, Tensor(start, [100], device=(2, 0)), out, 1, None, None)
    check(function_of(kern, "add", table=newer)(x, y, out, 1, None, None) is None, "a newer table with an older one")
    check(function_of(kern, "add", table=future) is None, "a table of the future")
    bumped.clear()


def check_made():
    global failing_allocation
    parts = function_of(kern, "parts", [("sums", (Tensor.new_zeros, None)), ("doubled", (empty_like, {"dtype": "float32"}))])
    (ctypes.c_float * 100).from_address(start)[:] = range(100)
    x, given = Tensor(start, [100]), Tensor(start + 3072, [100])
    sums, doubled = parts(x, None, None, None, None)
    check(floats(sums.address, 2) == [sum(range(64)), sum(range(64, 100))], "an output that was made, of 0")
    check(floats(doubled.address, 100) == [2 * i for i in range(100)], "another")
    check(made == [((2,), None), ((100,), "float32")] and bumped == [], "what was made")
    made.clear()
    result = parts(x, given, None, None, None)
    check(result[1] is given and floats(given.address, 100) == [2 * i for i in range(100)], "an output that was given")
    check(len(made) == 1 and bumped == [(given,)], "and written")
    made.clear()
    bumped.clear()
    failing_allocation = True
    is_slow(parts, x, None, None, None, None)
    failing_allocation = False
    made.clear()


def check_gpu():
    """Of the driver's two devices the first is current."""
    scale = function_of(gpu, "scale")
    launches = driver.count_launches()
    check(scale(Tensor(1 << 20, [64], device=(2, 0)), None, None) is None, "a launch")
    check((driver.count_launches(), driver.last_stream(), driver.last_device()) == (launches + 1, 0x7000, 0),
          "on the stream that is current")
    is_slow(scale, Tensor(1 << 20, [64], device=(2, 1)), None, None)
    check(scale(Tensor(1 << 20, [0], device=(2, 0)), None, None) is None, "an empty tensor")
    check(driver.count_launches() == launches + 1, "nothing is launched for it")
    threads = [threading.Thread(target=lambda: [scale(tensor, None, None) for _ in range(500)])
               for tensor in [Tensor(1 << 20, [64], device=(2, 0)) for _ in range(4)]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check(driver.count_launches() > launches + 1, "from several threads")
    bumped.clear()


def check_references():
    """What is counted before and after many calls, of all kinds."""
    parts = function_of(kern, "parts", [("sums", (Tensor.new_zeros, None)), ("doubled", (empty_like, {"dtype": "float32"}))])
    add, scale = function_of(kern, "add"), function_of(gpu, "scale")
    x, y, out = Tensor(start, [100]), Parameter(start + 512, [100]), Tensor(start + 1024, [100])
    watched = [x, y, out, Tensor, Parameter, parts, add, empty_like, float("1.5"), 10 ** 12]

    def call_all():
        parts(x, None, None, None, None)
        parts(x, out, None, None, None)
        is_slow(parts, x, Tensor(start, [50], strides=[2]), None, None, None)
        add(x, y, out, 1, None, None)
        add(x, y, out, watched[8], None, None)
        add(x, y, out, watched[9], None, None)
        add(Tensor(start, [50], strides=[2]), y, out, 1, None, None)
        try:
            add(x, y, out, 3, None, None)
        except RuntimeError:
            pass
        scale(Tensor(1 << 20, [64], device=(2, 0)), None, None)
        for noted in (made, slow, bumped):
            noted.clear()

    call_all()
    gc.collect()
    check(not alive, "what was made is gone: {}".format(len(alive)))
    before = [sys.getrefcount(value) for value in watched]
    for _ in range(100):
        call_all()
    gc.collect()
    check([sys.getrefcount(value) for value in watched] == before, "references: {}, {}".format(
        before, [sys.getrefcount(value) for value in watched]))


check_host()
check_made()
check_gpu()
check_references()
finish()
