"""Calls what a library exports for the TVM FFI, without that package: its values, as ctypes has them."""
import ctypes


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("rank", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("offset", ctypes.c_uint64)]


class Any(ctypes.Structure):
    class Value(ctypes.Union):
        _fields_ = [("integer", ctypes.c_int64), ("real", ctypes.c_double), ("pointer", ctypes.c_void_p),
                    ("text", ctypes.c_char_p), ("dtype", ctypes.c_uint8 * 4), ("bytes", ctypes.c_char * 8)]

    _anonymous_ = ["value"]
    _fields_ = [("type", ctypes.c_int32), ("small_size", ctypes.c_uint32), ("value", Value)]


NONE, INT, BOOL, FLOAT, DTYPE, TENSOR_POINTER, TEXT, SHORT_TEXT, TENSOR = 0, 1, 2, 3, 5, 7, 8, 11, 70
CODES = {"f": 2, "i": 0, "q": 0, "B": 1}


def tensor(data, shape, strides=None, device=(1, 0), code=2, bits=32):
    """Of memory at an address."""
    sizes = (ctypes.c_int64 * max(len(shape), 1))(*shape)
    steps = (ctypes.c_int64 * max(len(shape), 1))(*strides) if strides is not None else None
    made = Tensor(data, device[0], device[1], len(shape), code, bits, 1, sizes, steps, 0)
    made.keep = sizes, steps
    return made


def value_of(value):
    result = Any()
    if isinstance(value, Any):
        return value
    if isinstance(value, bool):
        result.type, result.integer = BOOL, value
    elif isinstance(value, int):
        result.type, result.integer = INT, value
    elif isinstance(value, float):
        result.type, result.real = FLOAT, value
    elif isinstance(value, str):
        result.type, result.text = TEXT, value.encode()
    elif isinstance(value, Tensor):
        result.type, result.pointer = TENSOR_POINTER, ctypes.addressof(value)
    elif value is not None:
        raise TypeError(type(value))
    return result


class Library:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)

    def call(self, name, *values):
        """The status and the result."""
        function = getattr(self.library, "__tvm_ffi_" + name)
        given, result = (Any * max(len(values), 1))(*[value_of(value) for value in values]), Any()
        return function(None, given, ctypes.c_int32(len(values)), ctypes.byref(result)), result
