"""Fetches packages from PyPI as they are packed: source distributions, where pip would ask their builds what they are. With
--smallest whatever is smallest, as Python is the same in all of a version's files.

    fetch_archives.py FOLDER [--smallest] NAME==VERSION…
"""

import json
import sys
import urllib.parse
import urllib.request

smallest = "--smallest" in sys.argv
for name, version in (wanted.split("==") for wanted in sys.argv[2:] if "==" in wanted):
    address = f"https://pypi.org/simple/{name}/"
    index = urllib.request.Request(address, headers={"Accept": "application/vnd.pypi.simple.v1+json"})
    with urllib.request.urlopen(index) as answer:
        files = json.load(answer)["files"]
    found = [file for file in files if file["filename"].endswith(f"-{version}.tar.gz")]
    if smallest:
        found += [file for file in files if file["filename"].endswith(".whl") and f"-{version}-" in file["filename"]]
    chosen = min(found, key=lambda file: file.get("size", 0))
    urllib.request.urlretrieve(urllib.parse.urljoin(address, chosen["url"]), f"{sys.argv[1]}/{chosen['filename']}")
