"""Writes a wheel, which is a zip file with a few texts in it, from the tree of a package.

    wheel.py TREE DESCRIPTION.json OUTPUT_FOLDER

The program goes where an environment has its programs, and everything that it finds beside itself into the environment's
own tree, so that an environment with Nereid is an installation like any other: bin/nereid, share/cmake/Nereid, share/man.
(share and not lib, of which `pip install --target` leaves all but modules behind.) No Python runs when the command does. The Python modules go where Python looks for them.

The bytes depend on the tree alone: entries are sorted, and their time is SOURCE_DATE_EPOCH.
"""

import base64
import hashlib
import json
import os
import stat
import sys
import time
import zipfile
from pathlib import Path

# Where a package has Python modules; the wheel's lie at its root.
MODULES = ("lib/python3/dist-packages/",)
# A user of the wheel has the documentation on the web; licences travel in the wheel's own place for them.
LEFT_OUT = ("share/doc/",)
LICENSES = "share/doc/nereid/licenses/"


def place(path, stem):
    """Where a file of the tree goes in the wheel; None if it stays away."""
    if path.startswith(LICENSES):
        return f"{stem}.dist-info/licenses/{path[len(LICENSES):]}"
    if path.startswith(LEFT_OUT):
        return None
    for folder in MODULES:
        if path.startswith(folder):
            return path[len(folder):]
    # As deep as before, which the CMake package finds the program by.
    for folder in ("lib/", "lib64/"):
        if path.startswith((folder + "cmake/", folder + "nereid/")):
            path = "share/" + path[len(folder):]
    if path.startswith("bin/"):
        return f"{stem}.data/scripts/{path[len('bin/'):]}"
    return f"{stem}.data/data/{path}"


def metadata(description):
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {description['name']}",
        f"Version: {description['version']}",
        f"Summary: {description['summary']}",
        f"License: {description['license']}",
        "Requires-Python: >=3.8",
        "Classifier: Environment :: Console",
        "Classifier: Operating System :: POSIX :: Linux",
        "Classifier: Programming Language :: C++",
        "Classifier: Topic :: Software Development :: Compilers",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + description["description"]


def main(tree, description_path, output):
    tree, output = Path(tree), Path(output)
    description = json.loads(Path(description_path).read_text())
    glibc = Path(description["glibc"]).read_text().strip().replace(".", "_")
    tag = f"py3-none-manylinux_{glibc}_{description['machine']}"
    stem = f"{description['name']}-{description['version']}"
    # Name in the wheel: contents and whether it is a program.
    entries = {}
    for path in sorted(tree.rglob("*")):
        if path.is_dir():
            continue
        name = place(path.relative_to(tree).as_posix(), stem)
        if name:
            entries[name] = (path.read_bytes(), bool(path.stat().st_mode & stat.S_IXUSR))
    info = f"{stem}.dist-info"
    entries[f"{info}/METADATA"] = (metadata(description).encode(), False)
    wheel = f"Wheel-Version: 1.0\nGenerator: nereid {description['version']}\nRoot-Is-Purelib: false\nTag: {tag}\n"
    entries[f"{info}/WHEEL"] = (wheel.encode(), False)

    record = ""
    for name, (contents, _) in entries.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(contents)}\n"
    entries[f"{info}/RECORD"] = ((record + f"{info}/RECORD,,\n").encode(), False)

    # A zip file knows no time before 1980.
    moment = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800))[:6]
    path = output / f"{stem}-{tag}.whl"
    temporary = path.with_suffix(".tmp")
    output.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, (contents, is_program) in entries.items():
            entry = zipfile.ZipInfo(name, moment)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, or nobody reads the mode
            entry.external_attr = (stat.S_IFREG | (0o755 if is_program else 0o644)) << 16
            archive.writestr(entry, contents)
    temporary.replace(path)
    print(path)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
