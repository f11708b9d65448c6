"""Runs triton.tools.compile (Triton 3.6) where there is no GPU, with the arguments given here, --target among them.

It asks the driver for the names of C types, and takes the numbers of a target as texts; both are given to it from here.
"""
import runpy
import sys

import triton
import triton.backends.compiler
from triton.runtime import driver

target = sys.argv[sys.argv.index("--target") + 1].split(":")
if target[0] == "cuda":
    from triton.backends.nvidia.driver import ty_to_cpp
else:
    from triton.backends.amd.driver import ty_to_cpp


class Types:

    def map_python_to_cpp_type(self, name):
        return ty_to_cpp(name)

    def get_current_target(self):
        return triton.backends.compiler.GPUTarget(*target)


RealTarget = triton.backends.compiler.GPUTarget
triton.backends.compiler.GPUTarget = lambda backend, arch, warp: RealTarget(
    backend, int(arch) if backend == "cuda" else arch, int(warp))
driver.set_active(Types())
runpy.run_module("triton.tools.compile", run_name="__main__", alter_sys=True)
