"""Runs a program under what the environment asks for: python -m nereid._program [-m MODULE | FILE] ARGUMENTS…"""
from __future__ import annotations

import os
import runpy
import sys

from nereid import _startup

if __name__ == "__main__":
    arguments = sys.argv[1:]
    _startup.begin()
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        sys.path[0] = os.getcwd()
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
        runpy.run_path(arguments[0], run_name="__main__")
