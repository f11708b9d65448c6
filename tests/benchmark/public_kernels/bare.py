"""Imports modules of packages that cannot be imported as a whole: their __init__ asks for extensions in C++, for other
packages, or for a GPU of another kind."""
import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from pathlib import Path


class Anything:
    """In place of what is imported and not used: may be called, subscripted, derived from and asked for attributes."""

    def __init__(self, *arguments, **options):
        pass

    def __call__(self, *arguments, **options):
        # As a decorator it leaves functions as they are.
        return arguments[0] if len(arguments) == 1 and not options and callable(arguments[0]) else Anything()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __getitem__(self, key):
        return Anything()

    def __iter__(self):
        return iter(())

    def __bool__(self):
        return False

    def __or__(self, other):  # in types of parameters
        return Anything()

    __ror__ = __truediv__ = __rtruediv__ = __or__

    def __mro_entries__(self, bases):
        return ()


class Stub(types.ModuleType):
    __path__ = []
    __or__ = __ror__ = Anything.__or__

    def __getattr__(self, name):
        if name == "__version__":  # new enough for whoever asks
            return "1000"
        if name.startswith("__"):
            raise AttributeError(name)
        # What asks a question is answered no.
        return (lambda *arguments, **options: False) if name.startswith(("is_", "has_", "can_", "use_")) else Anything()


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds stubs, and the packages that are taken without their __init__."""

    def __init__(self):
        self.stubs, self.bare, self.parts = set(), set(), set()

    def find_spec(self, name, path=None, target=None):
        if any(name == stub or name.startswith(stub + ".") for stub in self.stubs):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        if any(name == bare or name.startswith(bare + ".") for bare in self.bare):
            folders = [Path(folder) / name.rsplit(".", 1)[-1] for folder in path or sys.path]
            if found := [str(folder) for folder in folders if folder.is_dir()]:
                spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
                spec.submodule_search_locations = found
                return spec
        if any(name.startswith(part + ".") for part in self.parts) and not any(
                (Path(folder) / f"{name.rsplit('.', 1)[-1]}.py").exists() for folder in path or sys.path):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return Stub(spec.name)

    def exec_module(self, module):
        pass


FINDER = Finder()


def bare(*packages):
    """Takes these packages and all within them without running any __init__."""
    if FINDER not in sys.meta_path:
        sys.meta_path.insert(0, FINDER)
    FINDER.bare.update(packages)


def part(*packages):
    """Takes what there is of these packages as `bare` does, and what is missing within them for there."""
    bare(*packages)
    FINDER.parts.update(packages)


def stub(*modules, **attributes):
    """Takes these modules for there, with nothing in them but `attributes` that their users do ask for."""
    bare()
    FINDER.stubs.update(modules)
    for name in modules if attributes else ():
        vars(importlib.import_module(name)).update(attributes)


def of(path):
    """What is at the path: a function of a module, or of a class in one, as an autograd function's apply."""
    names = path.split(".")
    for count in range(len(names) - 1, 0, -1):
        module = ".".join(names[:count])
        try:
            return functools.reduce(getattr, names[count:], importlib.import_module(module))
        except ModuleNotFoundError as problem:
            if problem.name != module:
                raise
    raise ModuleNotFoundError(path)
