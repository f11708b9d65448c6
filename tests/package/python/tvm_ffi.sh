#!/usr/bin/env bash
# What libraries export for the TVM FFI and for their Python package: called with stand-ins for that FFI, PyTorch and the GPU's driver, and, where
# the package is there, with it, PyTorch and NumPy; and its declarations beside those of the package's own header.
#
#   tvm_ffi.sh NEREID
set -euo pipefail
# shellcheck source=python_test.sh
. "$(dirname "$0")/python_test.sh"

run "$nereid" build kernels.py -o . -n kern --python
nm -D --defined-only libkern.so >log
for name in rms_norm rms_norm_fp32 add _doc_rms_norm _metadata_rms_norm; do expect " __tvm_ffi_$name"; done
readelf -d libkern.so >log
[ "$(grep NEEDED log | grep -cvE '\[(libc|libm|libdl|libpthread|ld-linux[-_a-z0-9]*)\.so')" = 0 ] || fail "it needs other libraries"

# Static libraries have none of that: two of them may have kernels of one name.
run "$nereid" build kernels.py -o static -n kern --static
nm static/libkern.a >log
! grep -q tvm_ffi log || fail "a static library exports for the TVM FFI"

# A kernel for each of many expressions.
"$python" - <<'END'
import json

texts = ["x.shape[0]", "x.size(1)", "x.shape[-1]", "x.stride(0)", "x.stride(-2)", "x.ndim", "x.numel()", "x.numel() // x.ndim",
         "a // b", "a % b", "a / b", "-a // b", "-(a // b)", "- -a", "cdiv(a, b)", "cdiv(a, -b)", "min(a, b)", "max(a, b, 3)",
         "min(a, b, x.shape[0])", "next_power_of_2(a)", "next_power_of_2(b)", "a + b * 2 - 3", "(a + b) * 2 - 3",
         "a - (b - 3)", "a - b - 3", "a // (b * 3) % 5", "a < b", "a < b < 10", "-10 <= b < a <= 5", "a != b == -7",
         "(a < b) < 1", "a < (b < 1)", "a or b", "a and b", "a and b and 7", "0 or a or b", "not a", "not a or b", "not (a or b)",
         "not not a", "not a == b", "a > b or b > 3 and a < 2", "(a > b or b > 3) and a < 2",
         "a == 0 or b // a > 1", "a != 0 and b // a < 1", "1.5 * a", "(a > 1.5) + 2", "1e3 == 1000", "(a + 0.5) // 1 == a",
         "a // 0.0", "True + a", "a == None", "None == None", "max(a, 2.5) > 2", "a % 7 + b % -7", "a * b", "(3 - a) % 4",
         "007 + a", "a - 1 < b + 1 and x.shape[0] * x.shape[1] == x.numel()"]
with open("expressions.py", "w") as file:
    file.write("import triton\nimport triton.language as tl\n")
    for number, text in enumerate(texts):
        file.write("\n\n# nereid: targets = cpu:x86-64-v2\n# nereid: grid = 1\n# nereid: python = result={}\n"
                   "# nereid: signature = x=*fp32, out=*i64, a=i64, b=i64, result=i64\n@triton.jit\n"
                   "def value_{}(x, out, a, b, result):\n    tl.store(out, result)\n".format(text, number))
with open("expressions.json", "w") as file:
    json.dump([text.replace("007", "7") for text in texts], file)
END
run "$nereid" build expressions.py -o . -n expressions --python
cat >scale.py <<'END'
import triton
import triton.language as tl


# nereid: python = n=x.numel()
# nereid: grid = cdiv(n, 64)
# nereid: signature = x=*fp32, n=i32
@triton.jit
def scale(x, n):
    i = tl.program_id(0) * 64 + tl.arange(0, 64)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)
END
run "$nereid" build scale.py -o . -n gpu -t cuda:80 --python
run cc -shared -fPIC -Wall -Wextra -Werror "$here/stand_in.c" -o libtvm_ffi.so -Wl,-soname,libtvm_ffi.so
mkdir driver
run cc -shared -fPIC "-DDRIVER=\"$(cd "$here/../../benchmark/launch" && pwd)/idle_driver.c\"" "$here/stand_in.c" \
  -o driver/libcuda.so.1 -Wl,-soname,libcuda.so.1
run env LD_LIBRARY_PATH="$work/driver" PYTHONDONTWRITEBYTECODE=1 "$python" "$here/check_raw_ffi.py" .
run env LD_LIBRARY_PATH="$work/driver" PYTHONDONTWRITEBYTECODE=1 "$python" -X dev "$here/check_python_call.py" .

if ! has tvm_ffi; then
  echo "left out: there is no apache-tvm-ffi"
  exit 0
fi
run env PYTHONDONTWRITEBYTECODE=1 "$python" "$here/check_tvm_ffi.py" .
grep "^left out" log || true
if has torch && "$python" -W ignore -c 'import sys, torch; sys.exit(not torch.cuda.is_available() or bool(torch.version.hip))'; then
  run "$nereid" build kernels.py -o gpu -n kern -t cpu,cuda:80
  run env PYTHONDONTWRITEBYTECODE=1 "$python" "$here/check_tvm_ffi.py" gpu cuda
else
  echo "left out: there is no GPU of NVIDIA's that PyTorch can use"
fi

# The declarations, beside the package's.
run "$nereid" build kernels.py -o source -n kern --source
cat >layout.c <<'END'
#include "kern.c"

#include <tvm/ffi/c_api.h>
#define SAME(ours, theirs) _Static_assert(sizeof(ours) == sizeof(theirs), #ours)
#define AT(ours, member, theirs, field)                                                                                         \
  _Static_assert(offsetof(ours, member) == offsetof(theirs, field) &&                                                           \
                     sizeof(((ours *)0)->member) == sizeof(((theirs *)0)->field),                                                \
                 #ours " " #member)
SAME(nrd_tvm_any, TVMFFIAny);
AT(nrd_tvm_any, type, TVMFFIAny, type_index);
AT(nrd_tvm_any, small_size, TVMFFIAny, small_str_len);
AT(nrd_tvm_any, is.integer, TVMFFIAny, v_int64);
AT(nrd_tvm_any, is.object, TVMFFIAny, v_obj);
AT(nrd_tvm_any, is.dtype, TVMFFIAny, v_dtype);
SAME(nrd_tvm_object, TVMFFIObject);
AT(nrd_tvm_object, references, TVMFFIObject, combined_ref_count);
AT(nrd_tvm_object, type, TVMFFIObject, type_index);
SAME(nrd_tvm_bytes, TVMFFIByteArray);
AT(nrd_tvm_bytes, data, TVMFFIByteArray, data);
SAME(nrd_tvm_shape, TVMFFIShapeCell);
AT(nrd_tvm_shape, size, TVMFFIShapeCell, size);
SAME(nrd_tvm_list, TVMFFISeqCell);
AT(nrd_tvm_list, data, TVMFFISeqCell, data);
AT(nrd_tvm_list, size, TVMFFISeqCell, size);
SAME(nrd_tvm_tensor, DLTensor);
AT(nrd_tvm_tensor, data, DLTensor, data);
AT(nrd_tvm_tensor, device_type, DLTensor, device.device_type);
AT(nrd_tvm_tensor, device_id, DLTensor, device.device_id);
AT(nrd_tvm_tensor, rank, DLTensor, ndim);
AT(nrd_tvm_tensor, dtype.code, DLTensor, dtype.code);
AT(nrd_tvm_tensor, dtype.bits, DLTensor, dtype.bits);
AT(nrd_tvm_tensor, dtype.lanes, DLTensor, dtype.lanes);
AT(nrd_tvm_tensor, shape, DLTensor, shape);
AT(nrd_tvm_tensor, strides, DLTensor, strides);
AT(nrd_tvm_tensor, offset, DLTensor, byte_offset);
SAME(nrd_tvm_managed, DLManagedTensorVersioned);
AT(nrd_tvm_managed, major, DLManagedTensorVersioned, version.major);
AT(nrd_tvm_managed, deleter, DLManagedTensorVersioned, deleter);
AT(nrd_tvm_managed, flags, DLManagedTensorVersioned, flags);
AT(nrd_tvm_managed, tensor, DLManagedTensorVersioned, dl_tensor);
#define VALUE(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #ours)
SAME(nrd_python_exchange, DLPackExchangeAPI);
AT(nrd_python_exchange, major, DLPackExchangeAPI, header.version.major);
AT(nrd_python_exchange, older, DLPackExchangeAPI, header.prev_api);
AT(nrd_python_exchange, look, DLPackExchangeAPI, dltensor_from_py_object_no_sync);
AT(nrd_python_exchange, get_stream, DLPackExchangeAPI, current_work_stream);
VALUE(NRD_TVM_NONE, kTVMFFINone);
VALUE(NRD_TVM_INT, kTVMFFIInt);
VALUE(NRD_TVM_BOOL, kTVMFFIBool);
VALUE(NRD_TVM_FLOAT, kTVMFFIFloat);
VALUE(NRD_TVM_DTYPE, kTVMFFIDataType);
VALUE(NRD_TVM_DLTENSOR, kTVMFFIDLTensorPtr);
VALUE(NRD_TVM_RAW_STRING, kTVMFFIRawStr);
VALUE(NRD_TVM_SMALL_STRING, kTVMFFISmallStr);
VALUE(NRD_TVM_STRING, kTVMFFIStr);
VALUE(NRD_TVM_SHAPE, kTVMFFIShape);
VALUE(NRD_TVM_TENSOR, kTVMFFITensor);
VALUE(NRD_TVM_ARRAY, kTVMFFIArray);
VALUE(NRD_TVM_LIST, kTVMFFIList);
VALUE(NRD_TVM_BIG_INT, kTVMFFIBigInt);
VALUE(NRD_DLPACK_CPU, kDLCPU);
VALUE(NRD_DLPACK_CUDA, kDLCUDA);
VALUE(3, kDLCUDAHost);
VALUE(10, kDLROCM);
VALUE(11, kDLROCMHost);
VALUE(13, kDLCUDAManaged);
VALUE(0, kDLInt);
VALUE(1, kDLUInt);
VALUE(2, kDLFloat);
VALUE(4, kDLBfloat);
VALUE(6, kDLBool);
VALUE(10, kDLFloat8_e4m3fn);
VALUE(11, kDLFloat8_e4m3fnuz);
VALUE(12, kDLFloat8_e5m2);
VALUE(13, kDLFloat8_e5m2fnuz);
END
include=$("$python" -c 'import os, tvm_ffi; print(os.path.join(os.path.dirname(tvm_ffi.__file__), "include"))')
run cc -std=gnu11 -fsyntax-only -Wall -Wextra -Isource -I"$include" layout.c
