#!/usr/bin/env python3
"""Builds that share a cache, in bad weather: several at a time, killed at random moments, while the disk is full, entries are
damaged, trimmed and removed. Every library that a build made must be the one that is made without a cache, and what a
build that was killed leaves behind must be whole.

    cache_stress.py NEREID [--seconds 20] [--seed N] [--at-once 4]

A few seconds show little; an hour or so by hand shows more:  --seconds 3600
"""

import argparse
import collections
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("nereid", type=os.path.realpath)
parser.add_argument("--seconds", type=float, default=20)
parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
parser.add_argument("--at-once", type=int, default=4)
options = parser.parse_args()
chance = random.Random(options.seed)
print(f"seed {options.seed}", flush=True)

KERNELS = """
import triton
import triton.language as tl
from sizes import FACTOR


@triton.jit
def scale(x_ptr, n, BLOCK: tl.constexpr, AMOUNT: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) * FACTOR + AMOUNT, mask=i < n)
"""
MANIFEST = """{"name": "app", "targets": ["cpu:x86-64-v2", "cuda:80", "hip:gfx942"], "kernels": [{"source": "k.py", "kernel": "scale",
"grid": "cdiv(n, BLOCK)", "dispatch": ["AMOUNT"], "signatures": ["*fp32, i32, BLOCK=64, AMOUNT=[%s]"]}]}"""

work = tempfile.mkdtemp()
cache = os.path.join(work, "cache")
disk = os.path.join(work, "disk")
os.mkdir(disk)
# A disk of its own is filled without harm to anybody else.
has_disk = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=600k", "none", disk], stderr=subprocess.DEVNULL).returncode == 0
if has_disk:
    cache = os.path.join(disk, "cache")
else:
    print("skipped: full disks, as no file system can be mounted here")
environment = {key: value for key, value in os.environ.items() if not key.startswith("NEREID_CACHE") and key != "MAKEFLAGS"}
counts = collections.Counter()


def digests(folder):
    found = {}
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        # SIGKILL leaves the folder in which something was being made.
        if os.path.isfile(os.path.join(folder, name)):
            with open(os.path.join(folder, name), "rb") as file:
                found[name] = hashlib.sha256(file.read()).hexdigest()
    return found


class Failure(Exception):
    pass


# Projects that differ in what is imported, in two folders each, so that entries have several results and move.
projects = []
for number, (factor, amounts) in enumerate([(2, "1,2"), (3, "1,2"), (2, "2,3,4"), (2, "1,2")]):
    folder = os.path.join(work, "p" * (1 + number))
    os.mkdir(folder)
    for name, text in (("k.py", KERNELS), ("sizes.py", f"FACTOR = {factor}\n"), ("m.json", MANIFEST % amounts)):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    projects.append(folder)
references = {}


class Build:
    """One build, which may be killed at some moment."""

    def __init__(self, number):
        self.project = chance.choice(projects)
        # What is there stays, so that builds replace what others have made.
        self.output = os.path.join(work, f"out{number}")
        self.log = os.path.join(work, f"log{number}")
        sizes = chance.choice(["5G", "5G", "40K", "100K"])
        self.before = digests(self.output)
        command = [options.nereid, "build", os.path.join(self.project, "m.json"), "-o", self.output, "--quiet", "-j",
                   str(chance.choice([1, 2, 3]))]
        self.process = subprocess.Popen(command, env=dict(environment, NEREID_CACHE_DIR=cache, NEREID_CACHE_SIZE=sizes),
                                        stdout=subprocess.DEVNULL, stderr=open(self.log, "w"), start_new_session=True)
        self.begin = time.monotonic()
        self.signal = chance.choice([None, None, signal.SIGKILL, signal.SIGKILL, signal.SIGTERM])
        self.end = self.begin + chance.uniform(0, 1.5) if self.signal else self.begin + 300

    def is_done(self):
        if self.process.poll() is not None:
            return True
        if time.monotonic() < self.end:
            return False
        if not self.signal:
            raise Failure("a build does not end")
        # With the programs that it runs, as the end of a machine would.
        os.killpg(self.process.pid, self.signal)
        self.process.wait()
        return True

    def check(self):
        said = open(self.log).read()
        code = self.process.returncode
        expected = references[self.project]
        now = digests(self.output)
        if code == 0:
            counts["built"] += 1
            if "does not answer" in said or "cannot write to the cache" in said:
                counts["built with a cache that could not be written"] += 1
            if any(now.get(name) != digest for name, digest in expected.items()):
                raise Failure(f"other files than without a cache: {now}, expected {expected}; it said: {said}")
            return
        if code > 0 or not self.signal:
            raise Failure(f"a build failed with {code}: {said}")
        counts["killed"] += 1
        for name, digest in now.items():
            # What is half written has another name.
            known = [self.before.get(name), expected.get(name)]
            if name in expected and digest not in known:
                raise Failure(f"a build that was killed left half of {name}")


def entries():
    try:
        return [os.path.join(cache, name) for name in os.listdir(cache) if name.startswith("llvmcache-")]
    except FileNotFoundError:
        return []


def damage():
    for path in chance.sample(entries(), k=min(3, len(entries()))):
        try:
            with open(path, "r+b") as file:
                size = os.fstat(file.fileno()).st_size
                how = chance.randrange(4)
                if how == 0:
                    file.truncate(chance.randrange(size + 1))
                else:
                    file.seek(chance.randrange(size + 1))
                    file.write(os.urandom(chance.choice([1, 1, 100, 5000])))
            counts["damaged entries"] += 1
        except (FileNotFoundError, ValueError, OSError):
            pass


def swap():
    two = entries()
    if len(two) >= 2:
        try:
            source, target = chance.sample(two, k=2)
            shutil.copyfile(source, target)
            counts["entries in place of others"] += 1
        except OSError:
            pass


def fill():
    if not has_disk:
        return
    filler = os.path.join(disk, "filler")
    try:
        with open(filler, "wb", buffering=0) as file:
            while True:
                file.write(b"\0" * 4096)
    except OSError:
        counts["full disks"] += 1


def unfill():
    if has_disk and os.path.exists(os.path.join(disk, "filler")):
        os.remove(os.path.join(disk, "filler"))


def tool(*words):
    run = subprocess.run([options.nereid, "cache", *words], env=dict(environment, NEREID_CACHE_DIR=cache), capture_output=True, text=True)
    counts["cache " + words[0]] += 1
    # Others remove and replace entries meanwhile.
    if run.returncode != 0 and "No such file" not in run.stderr:
        raise Failure(f"cache {words}: {run.stderr}")


weather = [damage, damage, damage, swap, fill, unfill, unfill, lambda: tool("trim", "--size", chance.choice(["0", "20K", "60K"])),
           lambda: tool("clear"), lambda: shutil.rmtree(cache, ignore_errors=True)]


def main():
    for project in projects:
        output = os.path.join(work, "reference")
        shutil.rmtree(output, ignore_errors=True)
        subprocess.run([options.nereid, "build", os.path.join(project, "m.json"), "-o", output, "--quiet", "--no-cache"], check=True,
                       env=environment, stderr=subprocess.DEVNULL)
        references[project] = digests(output)
    assert len({str(reference) for reference in references.values()}) == 3, "projects 0 and 3 are the same, the others are not"
    end = time.monotonic() + options.seconds
    running = {}
    while True:
        if time.monotonic() < end:
            for number in range(options.at_once):
                if number not in running:
                    running[number] = Build(number)
        elif not running:
            break
        for number, build in list(running.items()):
            if build.is_done():
                del running[number]
                build.check()
        if chance.random() < 0.2:
            chance.choice(weather)()
        time.sleep(0.02)
    # In fine weather all is as ever.
    unfill()
    for number in range(2 * len(projects)):
        build = Build(number)
        build.signal, build.end = None, time.monotonic() + 300
        while not build.is_done():
            time.sleep(0.02)
        build.check()
    for name, count in sorted(counts.items()):
        print(f"{count:6} {name}")
    assert counts["built"] > len(projects) and counts["killed"] > 0, "hardly anything was tried"


try:
    main()
except Failure as failure:
    print(f"FAILED: {failure}", file=sys.stderr)
    sys.exit(1)
finally:
    if has_disk:
        subprocess.run(["umount", "-l", disk])
    shutil.rmtree(work, ignore_errors=True)
