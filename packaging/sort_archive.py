"""Rewrites a .tar.gz so that its bytes depend on nothing but its files: sorted, owned by root, dated SOURCE_DATE_EPOCH.

    sort_archive.py ARCHIVE.tar.gz

CPack writes files in the order in which the file system lists them, and as the user's who ran it.
"""

import gzip
import os
import sys
import tarfile


def main(path):
    moment = int(os.environ["SOURCE_DATE_EPOCH"])
    temporary = path + ".tmp"
    with tarfile.open(path) as old, open(temporary, "wb") as file:
        with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=moment) as compressed:
            with tarfile.open(fileobj=compressed, mode="w", format=tarfile.GNU_FORMAT) as new:
                for entry in sorted(old.getmembers(), key=lambda member: member.name):
                    entry.uid = entry.gid = 0
                    entry.uname = entry.gname = "root"
                    entry.mtime = moment
                    new.addfile(entry, old.extractfile(entry) if entry.isreg() else None)
    os.replace(temporary, path)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
