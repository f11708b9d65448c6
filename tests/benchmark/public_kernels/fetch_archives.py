"""Fetches source distributions from PyPI as they are packed: pip would ask their builds what they are.

    fetch_archives.py FOLDER NAME==VERSION…
"""

import json
import sys
import urllib.request

for name, version in (wanted.split("==") for wanted in sys.argv[2:]):
    index = urllib.request.Request(f"https://pypi.org/simple/{name}/",
                                   headers={"Accept": "application/vnd.pypi.simple.v1+json"})
    with urllib.request.urlopen(index) as answer:
        source = next(file for file in json.load(answer)["files"] if file["filename"].endswith(f"-{version}.tar.gz"))
    urllib.request.urlretrieve(source["url"], f"{sys.argv[1]}/{source['filename']}")
