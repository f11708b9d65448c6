#!/usr/bin/env bash
# The Python package of a library: functions called with what there is of NumPy and PyTorch, pip without a network, and
# what the compiler says of wrong descriptions of calls.
#
#   python.sh NEREID
set -euo pipefail
# shellcheck source=python_test.sh
. "$(dirname "$0")/python_test.sh"

run "$nereid" build kernels.py -o out --python -n kern --package-version 1.2.0
run env PYTHONDONTWRITEBYTECODE=1 "$python" -W error "$here/check.py" out
grep "^left out" log || true
run "$python" -m py_compile out/kern/__init__.py out/kern/_nereid.py out/kern/_nereid_build.py
# Grammar of the oldest Python that the package is for.
run "$python" -c 'import ast, sys; [ast.parse(open(f).read(), feature_version=(3, 9)) for f in sys.argv[1:]]' \
  out/kern/__init__.py out/kern/__init__.pyi out/kern/_nereid.py out/kern/_nereid_build.py

# The same bytes again.
cp -r out first
run "$nereid" build kernels.py -o out --python -n kern --package-version 1.2.0
rm -rf first/kern/__pycache__ out/kern/__pycache__
run diff -r first out

# Installed, without a network and from anywhere.
if "$python" -m venv env >log 2>&1; then
  run env/bin/python -m pip install --no-index --no-cache-dir ./out/kern
  (cd / && "$work/env/bin/python" -c 'import kern; assert kern.__version__ == "1.2.0"; kern.load(); print(kern.__file__)') >log 2>&1 ||
    fail "import of the installed package"
  expect "$work/env/lib"
  run env/bin/python -m pip show kern
  expect "Version: 1.2.0"
  # From its source distribution, which has the same bytes whenever it is made.
  for folder in sources again; do
    mkdir $folder
    (cd out/kern && "$python" -B -c "import _nereid_build; _nereid_build.build_sdist('$work/$folder')") >log 2>&1 || fail "build_sdist"
    sleep 1
  done
  run cmp sources/kern-1.2.0.tar.gz again/kern-1.2.0.tar.gz
  run tar xzOf sources/kern-1.2.0.tar.gz kern-1.2.0/PKG-INFO
  expect "Version: 1.2.0"
  run env/bin/python -m pip install --no-index --no-cache-dir --force-reinstall sources/kern-1.2.0.tar.gz
  (cd / && "$work/env/bin/python" -c 'import kern; kern.load()') >log 2>&1 || fail "import of the source distribution"
  run env/bin/python -m pip install --no-index --no-cache-dir --force-reinstall -e ./out/kern
  run env/bin/python -c 'import kern; assert "out/kern" in kern.__file__, kern.__file__'
else
  echo "left out: $python cannot make a virtual environment"
fi

# Without the package the library and its headers are as they were; a package needs a shared library and a name.
run "$nereid" build kernels.py -o plain -n kern
[ ! -e plain/kern ] || fail "a package that nobody wanted"
run cmp plain/libkern.so out/libkern.so
refused "error: Python loads shared libraries: --python goes with --shared or --source" \
  "$nereid" build kernels.py -o static -n kern --python --static
refused "'lambda' cannot be imported: it is a keyword of Python" "$nereid" build kernels.py -o keyword -n lambda --python
exits 2 "'1-2' is no version of a Python package" "$nereid" build kernels.py -o version -n kern --python --package-version 1-2

# What a kernel object says of calls from Python is shown with the rest of it.
cat >scale.py <<'END'
import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)
END
run "$nereid" compile scale.py -k scale -s "*fp32, i32, 64" -t cpu -g "cdiv(n, BLOCK)" --python-call "n=x_ptr.numel()" -o scale.nko
run "$nereid" inspect scale.nko --json
expect '"python": "n=x_ptr.numel()"'

# Parameters that are keywords of Python.
cat >copies.tc <<'END'
// nereid: targets = cpu:x86-64-v2
// nereid: python = is=in.numel(), contiguous(in), from=empty_like(in), in.shape[0] == is
// nereid: grid = cdiv(is, 64)
// nereid: signature = in=*fp32, from=*fp32, is=i32
__global__ void copy(float *in, float *from, int is) {
  int i[64] = get_program_id(0) * 64 + 0 ... 64;
  *?(i < is)(from + i) = *?(i < is)(in + i);
}
END
run "$nereid" build copies.tc -o out --python
run env PYTHONPATH=out "$python" - <<'END'
import inspect
import sys

import copies

assert str(inspect.signature(copies.copy)) == "(in_, *, from_=None, grid=None, stream=None)", inspect.signature(copies.copy)
try:
    import numpy
except ImportError:
    sys.exit()
assert copies.copy(numpy.arange(100, dtype=numpy.float32)).tolist() == list(range(100))
END

# Two libraries in one process.
run "$nereid" build kernels.py -o out --python -n other
run env PYTHONPATH=out "$python" -c 'import kern, other; assert other.add.variants()[0]["function"] == "add"'
# The library of another build.
run env PYTHONPATH=out KERN_LIBRARY="$work/plain/libkern.so" "$python" -c 'import kern; kern.add.variants()'

wrong() { # an annotation, the message
  { printf 'import triton\nimport triton.language as tl\n\n\n# nereid: targets = cpu:x86-64-v2\n# nereid: python = %s\n' "$1"
    printf '# nereid: signature = x=*fp32, y=*fp32, n=i32, B=64\n@triton.jit\ndef one(x, y, n, B: tl.constexpr):\n'
    printf '    tl.store(y, tl.load(x) * n)\n'; } >wrong.py
  refused "error: $2" "$nereid" build wrong.py -o wrong --python
}
wrong 'n=x.numel(' "expected ')'"
wrong 'n=m.numel()' "'m' is not a parameter of the kernel"
wrong 'n=n.numel()' "'n' is a number, not a tensor"
wrong 'n=x + 1' "'x' is a tensor: expected x.shape[i], stride(i), ndim or numel()"
wrong 'n=x.names' "of a tensor there are shape[i], size(i), stride(i), ndim and numel()"
wrong 'n=x.shape[y]' "expected the number of an axis"
wrong 'n=x.shape[0], n=x.shape[1]' "'n' is given a value twice"
wrong 'y=x.shape[0]' "'y' is a tensor, which 'empty_like(x)'"
wrong 'n=empty_like(x)' "'n' is a number, not a tensor"
wrong 'n=y.shape[0], y=empty_like(x)' "'y' is used before it is given a value"
wrong 'n=__import__(1)' "there is no function '__import__' here"
wrong 'n=x.shape[0] ** 2' "there is no operator '**'"
wrong 'x.shape[0]' "expected 'NAME = VALUE', 'contiguous(x)', or a comparison, which is checked"
wrong 'y=empty(3)' "expected another size, or 'like='"
wrong 'n=cdiv(x.shape[0])' "'cdiv' does not take 1 argument"
wrong 'n=x.shape[0] y' "expected a comma, or the end"
wrong 'B=x.shape[0]' "'B' is a compile-time value, which calls do not pass"
wrong 'n=1x' "expected a number"
