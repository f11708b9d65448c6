#!/usr/bin/env python3
"""Makes libraries of the kernels that a conformance test ran, and a way to call them.

    link_kernels.py CASES --nereid NEREID -o FOLDER

CASES has a line of JSON for each kernel (ShippedKernels.h). Of every few hundred of them FOLDER gets a library, made by
`nereid build` as any user would, and beside it one that is compiled from C against the library's header, whose functions
take their arguments from an array: call_FUNCTION(arguments) calls FUNCTION on the CPU and returns its status.
shipped.json says which function is where.
"""
import argparse
import json
import os
import pathlib
import shlex
import shutil
import subprocess

# So many kernels that the C compiler starts a few times only, and few enough that it is not one slow start.
KERNELS_OF_A_LIBRARY = 300

# What docs/c-api.md says of the types in a header.
C_TYPES = {
    "i1": "bool", "i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t", "u8": "uint8_t",
    "u16": "uint16_t", "u32": "uint32_t", "u64": "uint64_t", "fp16": "nrd_f16", "bf16": "nrd_bf16", "fp32": "float",
    "fp64": "double", "fp8e4nv": "nrd_f8e4nv", "fp8e4b8": "nrd_f8e4b8", "fp8e4b15": "nrd_f8e4b15", "fp8e5": "nrd_f8e5",
    "fp8e5b16": "nrd_f8e5b16",
}


def write_callers(name, cases):
    """C that calls each function of the library `name`."""
    lines = [f'#include "{name}.h"', f"const char *last_error(void) {{ return {name}_last_error(); }}"]
    for case in cases:
        values = "".join(
            f", *({C_TYPES[argument['type']]}{' *' if argument['pointer'] else ''} *)arguments[{i}]"
            for i, argument in enumerate(case["arguments"]))
        function = case["function"]
        lines.append(f"int call_{function}(void *const *arguments) {{\n"
                     f"  (void)arguments;\n"
                     f"  return {name}_{function}(nrd_cpu_stream(){values});\n}}")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("cases", type=pathlib.Path)
    parser.add_argument("--nereid", required=True)
    parser.add_argument("-o", dest="folder", type=pathlib.Path, required=True)
    options = parser.parse_args()

    cases = [json.loads(line) for line in options.cases.read_text().splitlines()]
    if not cases:
        raise SystemExit(f"no kernels in {options.cases}")
    shutil.rmtree(options.folder, ignore_errors=True)
    options.folder.mkdir(parents=True)
    compiler = shlex.split(os.environ.get("CC", "cc"))
    shipped = {}
    for number, first in enumerate(range(0, len(cases), KERNELS_OF_A_LIBRARY)):
        name = f"part{number}"
        part = cases[first:first + KERNELS_OF_A_LIBRARY]
        kernels = [{
            "source": case["source"], "kernel": case["kernel"], "function": case["function"], "grid": case["grid"],
            "targets": [case["target"]], "signatures": [case["signature"]], "definitions": case["definitions"]
        } for case in part]
        manifest = options.folder / f"{name}.json"
        manifest.write_text(json.dumps({"name": name, "kernels": kernels}, indent=1))
        subprocess.run([options.nereid, "build", manifest, "-o", options.folder, "-j", "2"], check=True,
                       stdout=subprocess.DEVNULL)
        callers = options.folder / f"{name}_callers.c"
        callers.write_text(write_callers(name, part))
        # A kernel may have the short name that the C library has; none of these is called by it.
        subprocess.run(
            compiler + ["-std=c99", "-Wall", "-Wextra", "-Werror", "-DNRD_NO_SHORT_NAMES", "-fPIC", "-shared",
                        str(callers), "-o", str(options.folder / f"{name}_callers.so"), f"-L{options.folder}",
                        f"-l{name}", "-Wl,-rpath,$ORIGIN"], check=True)
        for case in part:
            shipped[case["function"]] = {"library": f"{name}_callers.so", "arguments": case["arguments"]}
    (options.folder / "shipped.json").write_text(json.dumps(shipped, indent=1))
    print(f"{len(cases)} kernels in {number + 1} libraries")


if __name__ == "__main__":
    main()
