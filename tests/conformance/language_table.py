#!/usr/bin/env python3
"""Writes the table of docs/language.md from the tests, or says whether it is up to date.

    language_table.py REPORT... --list builtins.txt --document docs/language.md [--check]

Every conformance test names what it covers (KernelRun.h, covers()). REPORT.cpu.json, .gpu.json, .cuda.json and
.hip.json are what a test program wrote after it ran on the CPU, ran as a GPU's threads, and compiled for the vendors'
GPUs. Each name of builtins.txt gets a row with how many of its cases pass. A name that a test covers and the list
lacks is an error; with --check, so is any difference between the document and the reports.
"""
import argparse
import collections
import json
import pathlib
import sys

BEGIN = "<!-- table: written by tests/conformance/language_table.py -->"
END = "<!-- end of table -->"


def collect(report):
    """(what the case covers, whether it passes) of every case of a test program's report."""
    for suite in json.loads(report.read_text())["testsuites"]:
        for case in suite["testsuite"]:
            if case.get("result") == "COMPLETED":
                yield case.get("covers", "").split(), not case.get("failures")


def read_list(path):
    """(heading, names) for each heading."""
    sections = []
    for line in path.read_text().splitlines():
        if line.startswith("## "):
            sections.append((line[3:], []))
        elif line and not line.startswith("#"):
            sections[-1][1].extend(line.split())
    return sections


def state(word, passed, failed):
    if not passed and not failed:
        return "no test"
    if not failed:
        return f"{word} ({passed})"
    return f"{passed} of {passed + failed}" if passed else "not yet"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("report", nargs="+")
    parser.add_argument("--list", type=pathlib.Path, required=True)
    parser.add_argument("--document", type=pathlib.Path, required=True)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()

    targets = {"CPU": ("cpu", "works"), "GPU, emulated": ("gpu", "works"), "NVIDIA": ("cuda", "compiles"),
               "AMD": ("hip", "compiles")}
    counts = {target: collections.defaultdict(lambda: [0, 0]) for target in targets}
    for target, (suffix, _) in targets.items():
        for report in options.report:
            for names, passes in collect(pathlib.Path(f"{report}.{suffix}.json")):
                for name in names:
                    counts[target][name][0 if passes else 1] += 1

    sections = read_list(options.list)
    listed = {name for _, names in sections for name in names}
    unlisted = sorted({name for target in counts.values() for name in target} - listed)
    if unlisted:
        sys.exit(f"tests cover what {options.list} does not list: {' '.join(unlisted)}")

    lines = [BEGIN, ""]
    for heading, names in sections:
        lines += [f"## {heading}", "", "| | " + " | ".join(targets) + " |", "| --- |" + " --- |" * len(targets)]
        for name in names:
            shown = name.replace("|", "\\|")
            states = (state(word, *counts[target][name]) for target, (_, word) in targets.items())
            lines.append(f"| `{shown}` | " + " | ".join(states) + " |")
        lines.append("")
    lines.append(END)

    text = options.document.read_text()
    before, rest = text.split(BEGIN)
    updated = before + "\n".join(lines) + rest.split(END)[1]
    if updated == text:
        return
    if options.check:
        sys.exit(f"{options.document} is not up to date; the target language_table writes it")
    options.document.write_text(updated)


if __name__ == "__main__":
    main()
