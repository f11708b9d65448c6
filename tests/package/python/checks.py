"""What the checks beside this file share: what is wrong is told, and counts at the end."""
import importlib
import sys

failures = 0


def find(name):
    """A module, or None."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def __getattr__(name):
    if name in ("torch", "numpy"):
        return find(name)
    raise AttributeError(name)


def check(condition, what):
    global failures
    if not condition:
        failures += 1
        print("FAILED:", what, file=sys.stderr)


def refuses(kind, text, function, *arguments, **keywords):
    """That a call raises such an exception, with these words; a TypeError is no other error besides."""
    try:
        function(*arguments, **keywords)
    except kind as error:
        check(text in str(error), "expected '{}' in '{}'".format(text, error))
        check(kind is not TypeError or type(error) is TypeError, "a TypeError: " + str(error))
    else:
        check(False, "expected {}: {}".format(kind.__name__, text))


def with_what_there_is(check_numpy, check_torch):
    for name, module, run in (("NumPy", "numpy", check_numpy), ("PyTorch", "torch", check_torch)):
        if find(module):
            run()
        else:
            print("left out: there is no", name)


def finish():
    sys.exit(1 if failures else 0)
