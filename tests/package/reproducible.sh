#!/usr/bin/env bash
# Nereid's own objects are the same wherever they are compiled, and so are the programs linked of them: compiles some files
# again from a copy of the sources in another folder, and compares with what the build made.
#
#   reproducible.sh SOURCE BUILD [PATTERN…]
#
# PATTERN: which files, by their paths, in place of a few that compile in seconds. All of them, some 20 minutes:
#
#   tests/package/reproducible.sh . build .
set -euo pipefail
source=$(realpath "$1")
build=$(realpath "$2")
shift 2
[ $# -gt 0 ] || set -- '^toolkits/' '^aot/VersionReport' '^aot/Questions' '^linker/FatBinary' '^linker/Template' '^compiler/model/Diagnostics'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 - "$source" "$build" "$work/in another folder" "$@" <<'PY'
import concurrent.futures, json, os, re, shlex, shutil, subprocess, sys

source, build, other, patterns = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
other_build = other + "/and its build"
os.makedirs(other_build)


def move(text):
    return text.replace(build, other_build).replace(source, other)


for name in ("aot", "compiler", "linker", "packaging", "toolkits"):
    shutil.copytree(f"{source}/{name}", f"{other}/{name}")
for folder, _, files in os.walk(build):
    for name in files:
        if re.search(r"\.(h|inc|cpp|hxx|cxx)$", name) and "/demo/" not in folder and "/tests/" not in folder:
            place = other_build + folder[len(build):]
            os.makedirs(place, exist_ok=True)
            # CMake's precompiled header includes the real one by its path.
            with open(f"{place}/{name}", "w") as copy:
                copy.write(move(open(f"{folder}/{name}").read()))


def compile_again(entry):
    """Returns what differs, or nothing."""
    words = shlex.split(entry["command"])
    # Without the cache, which would answer from what was compiled here.
    while os.path.basename(words[0]) in ("ccache", "cmake", "env") or "=" in words[0] or words[0] in ("-E", "env"):
        words = words[1:]
    words = [move(word) for word in words]
    output = words[words.index("-o") + 1]
    target = f"{other_build}/{output}"
    os.makedirs(os.path.dirname(target), exist_ok=True)
    subprocess.run(words, cwd=other_build, check=True, stdout=subprocess.DEVNULL)
    # A precompiled header names its files; objects do not.
    if output.endswith(".pch"):
        return None
    if open(target, "rb").read() != open(f"{build}/{output}", "rb").read():
        return f"{output} differs"
    return None


entries = [entry for entry in json.load(open(f"{build}/compile_commands.json"))
           if entry["file"].startswith(source) and not re.match("tests/|tools/", os.path.relpath(entry["file"], source))]
chosen = [entry for entry in entries if any(re.search(p, os.path.relpath(entry["file"], source)) for p in patterns)
          or (patterns == ["."] and entry["file"].startswith(build))]
assert len(chosen) >= 5, f"only {len(chosen)} files match"
headers = [entry for entry in chosen if "cmake_pch" in entry["file"]]
others = [entry for entry in chosen if entry not in headers]
for entry in headers:
    compile_again(entry)
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    wrong = [text for text in pool.map(compile_again, others) if text]
for text in wrong:
    print(text)
print(f"{len(others)} objects were compiled again, {len(wrong)} differ")
sys.exit(bool(wrong))
PY
