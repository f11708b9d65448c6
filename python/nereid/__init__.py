"""Nereid's modules for programs with Triton kernels.

    import nereid.record            writes down every kernel that the program launches from here on
    nereid.serve("libapp.so")       has Triton's launches come from a library

They need Triton and nothing else. docs/record-and-serve.md tells how they are used.
"""
from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    # `nereid.serve` without an import; the module can be called. Not so `record`, which begins when it is imported.
    if name == "serve":
        return importlib.import_module("nereid.serve")
    raise AttributeError(f"module 'nereid' has no attribute '{name}'")
