"""Installs a wheel into a folder as pip does, where there is no pip; and checks it as pip would.

    install_wheel.py FILE.whl PREFIX
"""

import base64
import hashlib
import os
import re
import sys
import zipfile
from pathlib import Path


def main(path, prefix):
    prefix = Path(prefix)
    name, version, python, abi, platform = Path(path).name[: -len(".whl")].split("-")
    assert (python, abi) == ("py3", "none") and re.fullmatch(r"manylinux_2_\d+_\w+", platform), platform
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        assert len(set(names)) == len(names)
        info = f"{name}-{version}.dist-info"
        tags = [line for line in archive.read(f"{info}/WHEEL").decode().splitlines() if line.startswith("Tag: ")]
        assert tags == [f"Tag: {python}-{abi}-{platform}"], tags
        assert f"\nName: {name}\nVersion: {version}\n" in archive.read(f"{info}/METADATA").decode()
        recorded = [line.rsplit(",", 2) for line in archive.read(f"{info}/RECORD").decode().splitlines()]
        assert sorted(row[0] for row in recorded) == sorted(names), "RECORD does not list what there is"
        for entry, digest, size in recorded:
            contents = archive.read(entry)
            if entry != f"{info}/RECORD":
                found = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()
                assert (digest, int(size)) == (f"sha256={found}", len(contents)), entry
            place = entry
            data = f"{name}-{version}.data/"
            if entry.startswith(data + "scripts/"):
                place = "bin/" + entry[len(data + "scripts/"):]
            elif entry.startswith(data + "data/"):
                place = entry[len(data + "data/"):]
            else:
                assert not entry.startswith(data), entry
                place = "lib/python3/site-packages/" + entry
            target = prefix / place
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(contents)
            mode = archive.getinfo(entry).external_attr >> 16
            # pip makes programs of scripts by itself; others go by the mode.
            assert bool(mode & 0o100) == place.startswith("bin/"), f"{entry}: mode {mode:o}"
            os.chmod(target, mode & 0o777)


if __name__ == "__main__":
    main(*sys.argv[1:])
