"""Compares nereid-python-ast with Python's own `ast` module, file by file.

    compare_with_cpython.py TOOL [PATH...]

PATH is a .py file or a folder of them; without any, the standard library of the Python that runs this. A file
that Python refuses must be refused, every other must give the same tree: the script writes Python's tree in the
form of AstDump.h, and compares the digests; where they differ it shows the first lines that do.

Before version 3.12, Python parsed the expressions inside an f-string apart from the file, so that their positions
are not exact; with such a Python, positions within f-strings are left out of the comparison (their structure is
not). What only Python 3.12 accepts, such as a quote nested in an f-string, then counts as no difference either if
the tool accepts it. Early releases of 3.12 leave empty constants in format specifiers, where no other version has any;
they are dropped.
"""

import ast
import concurrent.futures
import difflib
import hashlib
import os
import struct
import subprocess
import sys
import sysconfig
import warnings

HAS_EXACT_FSTRINGS = sys.version_info >= (3, 12)
SKIPPED_FIELDS = {"type_comment", "type_ignores", "kind", "default_value"}
ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


def constant_text(value, kind=None):
    if isinstance(value, str):
        return ("u" if kind else "") + '"' + value.translate(ESCAPES) + '"'
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, int):
        return hex(value)
    if isinstance(value, float):
        return "float:" + struct.pack(">d", value).hex()
    if isinstance(value, complex):
        return "complex:" + struct.pack(">d", value.imag).hex()
    if isinstance(value, bytes):
        return 'b"' + value.hex() + '"'
    assert value is Ellipsis
    return "Ellipsis"


class Dumper:
    def __init__(self):
        self.out = []
        self.fstring_depth = 0

    def dump(self, node, indentation):
        out = self.out
        kind = type(node).__name__
        out.append(kind)
        if "lineno" in node._attributes and (HAS_EXACT_FSTRINGS or not self.fstring_depth):
            out.append(f" {node.lineno}:{node.col_offset}-{node.end_lineno}:{node.end_col_offset}")
        if kind == "Constant":
            out.append(" value=" + constant_text(node.value, node.kind))
            return
        if kind == "MatchSingleton":
            out.append(" value=" + constant_text(node.value))
            return
        self.fstring_depth += kind == "JoinedStr"
        children = []
        for field in node._fields:
            if field in SKIPPED_FIELDS:
                continue
            value = getattr(node, field, None)
            if value is None:
                continue
            if isinstance(value, list):
                if not value:
                    continue
                if isinstance(value[0], str):
                    out.append(f" {field}={','.join(value)}")
                elif isinstance(value[0], ast.cmpop):
                    out.append(f" {field}={','.join(type(op).__name__ for op in value)}")
                else:
                    for element in value:
                        if kind == "JoinedStr" and isinstance(element, ast.Constant) and element.value == "":
                            continue
                        children.append((field, element))
            elif isinstance(value, (ast.expr_context, ast.operator, ast.unaryop, ast.boolop)):
                out.append(f" {field}={type(value).__name__}")
            elif isinstance(value, ast.AST):
                children.append((field, value))
            else:
                out.append(f" {field}={value}")
        indentation += 1
        for field, child in children:
            out.append("\n" + " " * indentation + field + ": ")
            if child is None:
                out.append("None")
            else:
                self.dump(child, indentation)
        self.fstring_depth -= kind == "JoinedStr"


def dump_file(path):
    """The tree as bytes, or None if Python refuses the file."""
    with open(path, "rb") as file:
        source = file.read()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source, path)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    dumper = Dumper()
    dumper.dump(tree, 0)
    return ("".join(dumper.out) + "\n").encode("utf-8", "surrogatepass")


def tool_command(tool, *options):
    return [tool, *options] + ([] if HAS_EXACT_FSTRINGS else ["--no-fstring-positions"])


def explain(tool, path, expected):
    result = subprocess.run(tool_command(tool) + [path], capture_output=True, timeout=60)
    message = result.stderr.decode("utf-8", "replace")
    if result.returncode not in (0, 1):
        return f"{path}: the tool ended with code {result.returncode}\n{message}"
    if result.returncode == 1:
        return f"{path}: refused, but Python accepts it\n{message}"
    if expected is None:
        return f"{path}: accepted, but Python refuses it"
    difference = difflib.unified_diff(
        expected.decode("utf-8", "replace").split("\n"),
        result.stdout.decode("utf-8", "replace").split("\n"), "Python", "Nereid", "", "", 1, "")
    return f"{path}: the trees differ\n" + "\n".join(line for _, line in zip(range(24), difference))


def is_newer_syntax(tool, path):
    """Whether a file that this Python refuses is Python 3.12, which it is too old to know."""
    if HAS_EXACT_FSTRINGS:
        return False
    result = subprocess.run([tool, path], capture_output=True, timeout=60)
    return result.returncode == 0 and any(
        kind in result.stdout for kind in (b"JoinedStr", b"TypeAlias", b"TypeVar", b"ParamSpec"))


def compare(tool, paths):
    """Returns a description of each difference."""
    result = subprocess.run(tool_command(tool, "--digest"), input="\n".join(paths), capture_output=True,
                            encoding="utf-8", errors="surrogateescape", timeout=600)
    if result.returncode not in (0, 1):
        if len(paths) == 1:
            return [f"{paths[0]}: the tool ended with code {result.returncode}\n{result.stderr}"]
        return [line for path in paths for line in compare(tool, [path])]
    digests = {path: digest for digest, _, path in (line.partition(" ") for line in result.stdout.splitlines())}
    differences = []
    for path in paths:
        expected = dump_file(path)
        digest = "-" if expected is None else hashlib.md5(expected).hexdigest()
        if digests.get(path) != digest and not (expected is None and is_newer_syntax(tool, path)):
            differences.append(explain(tool, path, expected))
    return differences


def find_files(roots):
    for root in roots:
        if not os.path.isdir(root):
            yield root
            continue
        for folder, folders, files in os.walk(root):
            # What is installed beside the standard library is not part of it.
            folders[:] = sorted(set(folders) - {"site-packages", "dist-packages", "__pycache__"})
            yield from (os.path.join(folder, name) for name in sorted(files) if name.endswith(".py"))


def main():
    sys.setrecursionlimit(10000)
    tool, *roots = sys.argv[1:]
    paths = list(find_files(roots or [sysconfig.get_path("stdlib")]))
    batches = [paths[i:i + 25] for i in range(0, len(paths), 25)]
    differences = []
    with concurrent.futures.ProcessPoolExecutor(max_workers=2) as pool:
        for done, found in enumerate(pool.map(compare, [tool] * len(batches), batches), 1):
            differences += found
            for text in found:
                print(text)
            if done % 10 == 0:
                print(f"{min(done * 25, len(paths))} of {len(paths)} files compared", flush=True)
    print(f"{len(paths)} files compared, {len(differences)} differ")
    return 1 if differences or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
