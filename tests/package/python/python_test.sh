# shellcheck shell=bash disable=SC2034
# What the tests beside this file share, besides what all shell tests do: a Python. NEREID_TEST_PYTHON names another one than
# python3, one that has PyTorch, for instance.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=../command_line/shell_test.sh
. "$here/../command_line/shell_test.sh"
python=${NEREID_TEST_PYTHON:-python3}
# The first python3 may be another than the system's, which has what ./bootstrap installs.
if [ -z "${NEREID_TEST_PYTHON:-}" ] && ! python3 -c 'import numpy' >log 2>&1 && /usr/bin/python3 -c 'import numpy' >log 2>&1; then
  python=/usr/bin/python3
fi
if ! command -v "$python" >log; then
  echo "skipped: there is no $python"
  exit 77
fi
cp "$here/kernels.py" .

# has MODULE…: that Python has them.
has() { "$python" -c "import $(IFS=,; echo "$*")" >log 2>&1; }
