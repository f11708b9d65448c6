"""Both compilers on many specializations, in as many processes as there are processors for them."""
import array
import fcntl
import json
import os
import re
import signal
import subprocess
import termios
import time
import traceback
from pathlib import Path

import triton
from triton.compiler import ASTSource

SECONDS = 120  # for one compilation


def library_name(specialization_id):
    return f"k_{specialization_id}"


def other_folder(folder, words):
    """Where the libraries lie that are compiled with other words."""
    return f"{folder}-{re.sub('[^A-Za-z0-9]+', '-', words)}"


def compile_otherwise(specialization, command, settings):
    """Compiles once more with each of settings["also"], and keeps what comes out different."""
    name, folder = library_name(specialization.id), settings["libraries"]
    same = Path(f"{folder}/{name}.nko").read_bytes()
    for words in settings["also"]:
        other = other_folder(folder, words)
        os.makedirs(other, exist_ok=True)
        image = f"{other}/{name}.nko"
        variables = dict(word.split("=", 1) for word in words.split() if not word.startswith("-"))
        options = [word for word in words.split() if word.startswith("-")]
        done = subprocess.run([*command[:-1], image, *options], capture_output=True, env={**os.environ, **variables})
        if done.returncode == 0 and Path(image).read_bytes() != same:
            subprocess.run([settings["nereid"], "link", image, "-n", name, "-o", other, "--shared"], capture_output=True)


def with_nereid(specialization, settings):
    name, folder = library_name(specialization.id), settings["libraries"]
    image = f"{folder or settings['out']}/{name}.nko"
    command = [
        settings["nereid"], "compile", *specialization.nereid_arguments(), "--function", "kernel", "-I",
        settings["packages"], "-t", settings["target"], "-o", image
    ]
    start = time.monotonic()
    command, done = specialization.compile(command)
    if done.returncode == 0 and folder:
        compile_otherwise(specialization, command, settings)
    result = {"seconds": round(time.monotonic() - start, 2), "command": " ".join(f"'{word}'" for word in command)}
    lines = done.stderr.strip().splitlines()
    result["warnings"] = [line for line in lines if ": warning: " in line]
    spilled = re.search(r"local memory: (\d+) bytes", done.stderr)
    result["local memory"] = int(spilled[1]) if spilled else 0
    if done.returncode == 0 and settings["libraries"]:
        done = subprocess.run([settings["nereid"], "link", image, "-n", name, "-o", folder, "--shared"],
                              capture_output=True, text=True)
        lines = done.stderr.strip().splitlines()
    if done.returncode != 0:
        errors = [line for line in lines if "error: " in line] or lines[-1:] or [f"exit status {done.returncode}"]
        result["error"] = errors[0] if done.returncode > 0 else f"ended by signal {-done.returncode}: {' '.join(lines[:1])}"
    return result


def with_triton(specialization, settings):
    start = time.monotonic()
    source = ASTSource(specialization.jit, *specialization.source)
    kernel = triton.compile(source, target=settings["triton target"], options=specialization.options.__dict__)
    return {"seconds": round(time.monotonic() - start, 2), "shared": kernel.metadata.shared}


TOOLS = {"nereid": with_nereid, "triton": with_triton}


def guarded(tool, specialization, settings):
    try:
        return TOOLS[tool](specialization, settings)
    except Exception as error:
        lines = [line for line in str(error).splitlines() if line.strip()] or [""]
        told = [line for line in lines if re.search(r"error|Error|assert", line)] or lines
        return {"error": f"{type(error).__name__}: {told[-1].strip()[:300]}", "trace": traceback.format_exc()[-2000:]}


def work(queue, report, tasks, settings):
    """A process's life: tasks from a pipe, four bytes each, until that is empty."""
    log = os.open(f"{settings['out']}/compilers.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(log, 1)
    os.dup2(log, 2)
    tell = lambda **what: os.write(report, (json.dumps(what) + "\n").encode())
    while index := os.read(queue, 4):
        tool, specialization = tasks[int.from_bytes(index, "little")]
        tell(tool=tool, id=specialization.id, result={"error": "the compiler crashed or took too long"})
        signal.alarm(SECONDS)
        result = guarded(tool, specialization, settings)
        signal.alarm(0)
        tell(tool=tool, id=specialization.id, result=result)


def waiting(queue):
    count = array.array("i", [0])
    fcntl.ioctl(queue, termios.FIONREAD, count)
    return count[0] // 4


def compile_all(tasks, settings, progress):
    """(tool, specialization) pairs, at most 16,000; returns {tool: {id: result}}. Processes are forked, as kernels cannot
    be sent anywhere; one that crashes is replaced."""
    queue, feed = os.pipe()
    fcntl.fcntl(feed, 1031, 1 << 16)  # F_SETPIPE_SZ
    for index in range(len(tasks)):
        os.write(feed, index.to_bytes(4, "little"))
    os.close(feed)
    path = Path(settings["out"]) / f"compiled-{os.getpid()}-{time.monotonic_ns()}.jsonl"
    report = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    workers = set()
    told = 0.0
    while workers or waiting(queue):
        while len(workers) < settings["jobs"] and waiting(queue):
            worker = os.fork()
            if worker == 0:
                try:
                    work(queue, report, tasks, settings)
                finally:
                    os._exit(0)
            workers.add(worker)
        workers = {worker for worker in workers if os.waitpid(worker, os.WNOHANG)[0] == 0}
        if time.monotonic() - told > 10:
            told = time.monotonic()
            progress(f"{len(tasks) - waiting(queue)} of {len(tasks)} compilations begun")
        time.sleep(0.05)
    os.close(queue)
    os.close(report)
    results = {tool: {} for tool in TOOLS}
    for line in path.read_text().splitlines():
        line = json.loads(line)
        results[line["tool"]][line["id"]] = line["result"]
    path.unlink()
    return results
