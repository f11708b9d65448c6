"""Programs are recorded, built and served, on a machine without a GPU: they are recorded with a driver that launches nothing
(stand_in.py), and their kernels run on the CPU when they are served, where results are compared.

Needs Python with Triton and PyTorch, and NEREID, a nereid. Exits with 77 where there is no Triton."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

here = Path(__file__).resolve().parent
nereid = os.environ.get("NEREID", "")
kernel = """
import os, signal, sys
import torch, triton, triton.language as tl
import stand_in

FACTOR = tl.constexpr(2)

@triton.jit
def times_kernel(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * FACTOR, mask=i < n)

def run(n, block=32):
    x = torch.arange(n, dtype=torch.float32)
    times_kernel[(triton.cdiv(n, block), )](x, n, BLOCK=block)
    return x
"""


class Programs(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.cache = self.folder / "cache"
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(("NEREID", "TRITON"))}
        self.environment.update(PYTHONPATH=f"{here.parents[2] / 'python'}:{here}", TRITON_CACHE_DIR=str(self.cache))

    def run_python(self, *arguments, **environment):
        done = subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True, cwd=self.folder,
                              env={**self.environment, **environment})
        self.said, self.printed = done.stderr, done.stdout
        return done.returncode

    def record(self, program, *arguments, output="app.json", **environment):
        return self.run_python("-m", "nereid.record", "-o", output, program, *arguments, **environment)

    def serve(self, program, *arguments, options=("--device", "cpu"), **environment):
        shutil.rmtree(self.cache, ignore_errors=True)
        return self.run_python("-m", "nereid.serve", *options, "out/libapp.so", program, *arguments, **environment)

    def build(self, manifest="app.json"):
        done = subprocess.run([nereid, "build", manifest, "-o", "out", "-n", "app", "-t", "cpu:x86-64-v2"], capture_output=True,
                              text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def write(self, text, name="app.py"):
        (self.folder / name).write_text(kernel + text)
        return name

    def manifest(self, name="app.json"):
        return json.loads((self.folder / name).read_text())

    def launches(self, name="app.json"):
        return sum(s["recorded"]["launches"] for k in self.manifest(name)["kernels"] for s in k["signatures"])

    def test_kernels_of_many_kinds(self):
        self.assertEqual(self.record(here / "program.py"), 0, self.said)
        manifest = self.manifest()
        grids = {k["function"]: k.get("grid") for k in manifest["kernels"]}
        self.assertEqual(grids["tuned_kernel"], "cdiv(n, BLOCK)")
        self.assertTrue(any("when" in s for k in manifest["kernels"] for s in k["signatures"]))
        self.assertFalse(manifest["recorded"]["refused"])
        self.assertNotIn("left out", self.build())
        self.assertEqual(self.serve(here / "program.py", "--check"), 0, self.said)
        self.assertIn(f"{self.launches()} launches of", self.said)
        self.assertNotIn("were measured", self.said)
        self.assertFalse(self.cache.exists(), "Triton wrote into its cache")

    def test_what_has_changed_is_not_served(self):
        program = self.write("x = run(100)\nif '--check' in sys.argv: assert x[3] == 6, x\n")
        self.assertEqual(self.record(program), 0, self.said)
        self.build()
        self.assertEqual(self.serve(program, "--check"), 0, self.said)
        text = (self.folder / program).read_text()
        for old, new in (("constexpr(2)", "constexpr(3)"), ("* FACTOR", "+ FACTOR"), ("run(100)", "run(96)"),
                         ("block=32", "block=64")):
            (self.folder / program).write_text(text.replace(old, new))
            self.assertNotEqual(self.serve(program, "--check"), 0, new)
            self.assertIn("has changed since" if "FACTOR" in new or "3" in new else "was not recorded", self.said)
        # Elsewhere, and further down in its file, it is the same kernel.
        (self.folder / "sub").mkdir()
        (self.folder / "sub" / "other.py").write_text("# moved\n" + text)
        self.assertEqual(self.serve("sub/other.py", "--check"), 0, self.said)

    def test_annotations_that_are_texts(self):
        """Triton reads them as texts, and so takes FLAG for a run-time value, whatever CE stands for."""
        (self.folder / "app.py").write_text("from __future__ import annotations\n" + kernel + """
from triton.language import constexpr as CE

@triton.jit
def add_kernel(x, BLOCK: tl.constexpr, FLAG: CE = True):
    i = tl.arange(0, BLOCK)
    if FLAG:
        tl.store(x + i, tl.load(x + i) + 1)

for flag in (True, False):
    x = torch.zeros(32)
    add_kernel[(1, )](x, 32, flag)
    if "--check" in sys.argv: assert x.tolist() == [flag] * 32, (flag, x)
""")
        self.assertEqual(self.record("app.py"), 0, self.said)
        self.assertEqual(len(self.manifest()["kernels"][0]["signatures"]), 1)
        self.build()
        self.assertEqual(self.serve("app.py", "--check"), 0, self.said)
        self.assertIn("2 launches of 1 specializations", self.said)

    def test_functions_that_run_when_a_kernel_is_compiled(self):
        """Constants that are functions call others of their module, and of other modules."""
        (self.folder / "sizes.py").write_text("import math\n\ndef up(n, step):\n    return less(n + step)\n\n"
                                              "def less(n):\n    return math.floor(n) - 1\n")
        program = self.write("""
import sizes

def plain(value):
    return value.value if isinstance(value, tl.constexpr) else value

def bits_of(value):
    return plain(value) * 2

@tl.constexpr
def int_type(bits, signed):
    return tl.core.get_int_dtype(bits_of(bits), plain(signed))

@tl.constexpr
def higher(n):
    return sizes.up(n, 6)

@triton.jit
def typed_kernel(x, BITS: tl.constexpr):
    i = tl.arange(0, 32)
    tl.store(x + i, tl.load(x + i).to(int_type(BITS, True)).to(tl.float32) + higher(BITS))

x = torch.full((32, ), 44.5)
typed_kernel[(1, )](x, 4)
if "--check" in sys.argv: assert x.tolist() == [53.] * 32, x
""")
        self.assertEqual(self.record(program), 0, self.said)
        self.assertNotIn("left out", self.build())
        self.assertEqual(self.serve(program, "--check"), 0, self.said)

    def test_functions_of_a_module_that_is_executed_again(self):
        """As xformers finds those of Triton's libdevice."""
        program = self.write("""
import importlib.util

spec = importlib.util.find_spec("triton.language.extra.libdevice")
libdevice = importlib.util.module_from_spec(spec)
spec.loader.exec_module(libdevice)
root = libdevice.rsqrt

@triton.jit
def root_kernel(x):
    i = tl.arange(0, 32)
    tl.store(x + i, root(tl.load(x + i)))

x = torch.full((32, ), 4.0)
root_kernel[(1, )](x)
if "--check" in sys.argv: assert x.tolist() == [0.5] * 32, x
""")
        self.assertEqual(self.record(program), 0, self.said)
        self.assertNotIn("left out", self.build())
        self.assertEqual(self.serve(program, "--check"), 0, self.said)

    def test_what_cannot_be_recorded(self):
        """Nobody is told to record it."""
        program = self.write("""
run(100)
try:
    times_kernel[(1, )](torch.zeros(32), 32, BLOCK=32, **eval(sys.argv[-1]))
except RuntimeError as problem:
    assert "--check" in sys.argv and "times_kernel" in str(problem), problem
""")
        self.assertEqual(self.record(program, "{'enable_fp_fusion': False}"), 0, self.said)
        self.assertIn("not recorded: __main__.times_kernel, 1 launches: the option enable_fp_fusion=False", self.said)
        self.build()
        self.assertEqual(self.serve(program, "--check", "{'enable_fp_fusion': False}"), 0, self.said)
        self.assertIn("the option enable_fp_fusion=False", self.said)
        self.assertNotIn("NEREID_RECORD", self.said)
        self.assertEqual(self.serve(program, "--check", "{'num_warps': 8}"), 0, self.said)
        self.assertIn("with NEREID_RECORD=FILE.json they are recorded", self.said)

    def test_dtypes_as_values(self):
        """One C function, which calls choose in by the dtype."""
        program = self.write("""
@triton.jit
def round_kernel(x, BLOCK: tl.constexpr, TYPE: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i).to(TYPE).to(tl.float32))

for dtype, expected in ((tl.int32, 300), (tl.int8, 44), (tl.uint8, 44), (tl.float16, 300.5), (tl.int64, 300), (tl.uint16, 300)):
    x = torch.full((32, ), 300.5 if dtype not in (tl.int8, tl.uint8) else 44.5)
    round_kernel[(1, )](x, 32, dtype)
    if "--check" in sys.argv: assert x.tolist() == [expected] * 32, (dtype, x)
""")
        self.assertEqual(self.record(program), 0, self.said)
        self.build()
        self.assertIn("nrd_dtype TYPE", (self.folder / "out/app.h").read_text())
        self.assertEqual(self.serve(program, "--check"), 0, self.said)
        self.assertIn("6 launches of 6 specializations", self.said)

    def test_a_constant_that_changes_while_the_program_runs(self):
        program = self.write("a = run(100)\nFACTOR = tl.constexpr(5)\nb = run(100)\n"
                             "if '--check' in sys.argv: assert a[3] == 6 and b[3] == 15, (a, b)\n")
        self.record(program)  # Triton refuses the second launch, and the first one is left.
        self.assertIn("has changed", self.said)
        self.build()
        self.assertNotEqual(self.serve(program, "--check"), 0)
        self.assertIn("has changed since", self.said)

    def test_programs_that_crash(self):
        for end, status in (("os.kill(os.getpid(), signal.SIGKILL)", 137), ("os._exit(3)", 3), ("raise SystemExit(4)", 4),
                            ("assert False", 1)):
            program = self.write(f"run(100)\nrun(64)\n{end}\n")
            self.assertEqual(self.record(program), status, self.said)
            self.assertEqual(len(self.manifest()["kernels"][0]["signatures"]), 2, end)

    def test_a_thread_without_a_context(self):
        """The library refuses the default stream there, until somebody has set the device."""
        program = self.write("""
if "--check" in sys.argv:
    import nereid._library as library, nereid._serving as serving
    from triton.runtime.driver import driver
    is_set, make = [], library.make_launch
    def make_refused(*arguments):
        launch = make(*arguments)
        return lambda *call: launch(*call) if is_set else 1
    library.make_launch = make_refused
    type(driver.active).set_current_device = lambda self, device: is_set.append(device)
    with_hooks = "--hooks" in sys.argv
    if with_hooks:
        triton.knobs.runtime.launch_enter_hook.add(lambda metadata: None)
x = run(100)
if "--check" in sys.argv:
    assert x[3] == 6 and is_set == [0], (x, is_set)
""")
        self.assertEqual(self.record(program), 0, self.said)
        self.build()
        self.assertEqual(self.serve(program, "--check"), 0, self.said)
        self.assertEqual(self.serve(program, "--check", "--hooks"), 0, self.said)

    def test_workers(self):
        """Of all kinds, with what the first launch of a kind is followed by; and what they start themselves."""
        program = self.write("import multiprocessing, subprocess\n"
                             "def work(n):\n    for _ in range(5):\n        assert '--check' not in sys.argv or run(n)[3] == 6\n"
                             "        if '--check' not in sys.argv: run(n)\n"
                             "if __name__ == '__main__':\n    run(64)\n"
                             "    if sys.argv[1] == 'subprocess':\n"
                             "        text = 'import sys, app; sys.argv[1:] = ' + repr(sys.argv[2:]) + '; app.work(66)'\n"
                             "        subprocess.run([sys.executable, '-c', text], check=True)\n"
                             "    else:\n"
                             "        make = multiprocessing.get_context(sys.argv[1]).Process\n"
                             "        workers = [make(target=work, args=(n, )) for n in (66, 66, 128)]\n"
                             "        [w.start() for w in workers]\n        [w.join() for w in workers]\n"
                             "        assert not any(w.exitcode for w in workers)\n")
        for kind, launches in (("subprocess", 6), ("fork", 16), ("spawn", 16), ("forkserver", 16)):
            self.assertEqual(self.record(program, kind), 0, self.said)
            self.assertEqual(self.launches(), launches, kind)
            self.assertFalse((self.folder / "app.json.parts").exists())
        self.assertEqual(self.manifest()["kernels"][0]["grid"], "cdiv(n, BLOCK)")
        self.build()
        for kind in ("fork", "spawn"):
            self.assertEqual(self.serve(program, kind, "--check"), 0, self.said)
            self.assertEqual(self.said.count("launches of"), 4, self.said)
            self.assertFalse(self.cache.exists(), "Triton wrote into its cache")

    def test_a_program_runs_as_by_itself(self):
        program = self.write("import atexit, pickle, threading\n"
                             "class Thing: pass\n"
                             "def late():\n"
                             "    threading.main_thread().join()\n"
                             "    print(len(pickle.dumps(Thing())))\n"
                             "def annotated(x: int): pass\n"
                             "run(64)\n"
                             "print(sys.argv, __file__, __spec__, sorted(globals()), annotated.__annotations__)\n"
                             "atexit.register(lambda: print(sys.modules['__main__'].Thing is Thing))\n"
                             "threading.Thread(target=late).start()\n")
        (self.folder / "module").mkdir()
        (self.folder / "module" / "__main__.py").write_text("import sys\nprint(sys.argv, __name__, __spec__.name, sorted(globals()))\n")
        for words in ((program, "-m", "--merge"), ("-m", "module", "-o", "x.json")):
            said = [subprocess.run([sys.executable, *prefix, *words], capture_output=True, text=True, cwd=self.folder,
                                   env=self.environment)
                    for prefix in ((), ("-m", "nereid.record", "-o", "app.json"))]
            self.assertEqual(said[0].stdout, said[1].stdout, said[1].stderr)
            self.assertNotIn("Error", said[1].stderr)

    def test_tracebacks_are_as_ever(self):
        program = self.write("def fail():\n    raise KeyError('gone')\nfail()\n")
        alone = subprocess.run([sys.executable, program], capture_output=True, text=True, cwd=self.folder, env=self.environment)
        self.assertEqual(self.record(program), 1)
        self.assertEqual(self.said.partition("nereid.record:")[0], alone.stderr)

    def test_a_start_of_the_program_s_own(self):
        """A sitecustomize that somebody else has put into PYTHONPATH."""
        (self.folder / "mine").mkdir()
        (self.folder / "mine" / "sitecustomize.py").write_text("print('mine begins')\n")
        path = f"{self.folder / 'mine'}:{self.environment['PYTHONPATH']}"
        program = self.write("import sitecustomize\nprint(sitecustomize.__file__, sys.path)\nrun(64)\n")
        said = [subprocess.run([sys.executable, *prefix, program], capture_output=True, text=True, cwd=self.folder,
                               env={**self.environment, "PYTHONPATH": path})
                for prefix in ((), ("-m", "nereid.record", "-o", "app.json"))]
        self.assertIn("mine begins", said[0].stdout)
        # The command itself is a process of Python, too.
        self.assertEqual("mine begins\n" + said[0].stdout, said[1].stdout, said[1].stderr)
        self.assertEqual(self.launches(), 1)

    def test_texts(self):
        self.write("", "there.py")
        self.assertEqual(self.run_python("-m", "nereid.record", "-o", "app.json", "-c", "import sys, there; there.run(int(sys.argv[1]))",
                                         "64"), 0, self.said)
        self.assertEqual(self.launches(), 1)
        self.build()
        self.assertEqual(self.serve("-c", "import there; assert there.run(64)[3] == 6"), 0, self.said)

    def test_where_nothing_of_it_can_begin(self):
        program = self.write("run(64)\n")
        begun = "import sys; sys.path.insert(0, %r); import runpy; sys.argv = ['', '-o', 'app.json', 'app.py']; runpy.run_module('nereid.record', run_name='__main__')"
        for option in ("-S", "-I", "-E"):
            self.assertEqual(self.run_python(option, "-c", begun % str(here.parents[2] / "python"), program), 2, self.said)
            self.assertRegex(self.said, "^nereid.record: error: with Python's option.* begins in the program\n$")

    def test_launches_that_triton_refuses(self):
        """They are neither in the manifest nor spoken of."""
        program = self.write("run(64)\nx = torch.zeros(64)\n"
                             "for block, options in ((33, {}), (32, {'nonsense': 1}), (32, {'num_warps': 3})):\n"
                             "    try:\n        times_kernel[(1, )](x, 64, BLOCK=block, **options)\n"
                             "    except Exception as refused:\n        print(type(refused).__name__)\n"
                             "    else:\n        assert False, (block, options)\n")
        self.assertEqual(self.record(program), 0, self.said)
        self.assertNotIn("not recorded", self.said)
        kernel, = self.manifest()["kernels"]
        self.assertEqual(len(kernel["signatures"]), 1, kernel)

    def test_grids_of_all_kinds(self):
        """What Triton makes of them; results, or the class of the error."""
        program = self.write("import numpy\n"
                             "odd = [(2, ), [2], (2, 1), [2, 1, 1], (2, 1, 1, 7), lambda meta: (2, ), lambda meta: [2, 1, 1], {0: 2},\n"
                             "       torch.Size([2]), numpy.array([2, 1]), (numpy.int64(2), ), (torch.tensor(2), ), (numpy.array(2), ),\n"
                             "       (True, ), (0, ), (2, 0), (-2, ), (2, -1), (), (2.0, ), (1.0, ), (True, 1.0), (numpy.float32(2), ),\n"
                             "       (torch.tensor(2.0), ), ('2', ), '2', (None, ), 2, None, (2**31, ), (1, 2**32), (-2**31 - 1, ), ([2], )]\n"
                             "def outcome(grid):\n"
                             "    x = torch.arange(64, dtype=torch.float32)\n"
                             "    try:\n        times_kernel[grid](x, 64, BLOCK=32)\n"
                             "    except Exception as problem:\n        return type(problem).__name__\n"
                             "    return 'ran'\n"
                             "kinds = [outcome(grid) for grid in odd]\n"
                             "size = torch.tensor(1)\nx = torch.ones(64)\ntimes_kernel[(size, )](x, 64, BLOCK=32)\nsize += 1\n"
                             "times_kernel[(size, )](x, 64, BLOCK=32)\n"
                             "assert '--check' not in sys.argv or (x[3], x[60]) == (4, 2), x\n"
                             "print([repr(grid).partition(' at')[0] + ': ' + kind for grid, kind in zip(odd, kinds)])\n")
        self.assertEqual(self.record(program), 0, self.said)
        expected = self.printed
        self.build()
        self.assertEqual(self.serve(program, "--check"), 0, self.said)
        self.assertEqual(self.printed, expected)
        for kind in ("(1.0,): TypeError", "(): IndexError", "(-2,): ran", "(2147483648,): OverflowError", "{0: 2}: ran"):
            self.assertIn(kind, expected)

    def test_a_recording_that_cannot_be_written(self):
        program = self.write("print('ran')\n")
        self.assertEqual(self.record(program, output="/proc/app.json"), 2)
        self.assertEqual(self.said, "nereid.record: error: cannot write '/proc/app.json': No such file or directory\n")

    def test_a_device_without_code_under_a_profiler(self):
        program = self.write("if hasattr(triton, 'knobs'): triton.knobs.runtime.launch_enter_hook = lambda told: print('entered')\n"
                             "run(64)\n")
        self.assertEqual(self.record(program), 0, self.said)
        self.build()
        self.assertEqual(self.serve(program, options=()), 0, self.said)
        self.assertIn("1 specializations, 1 launches, were left to Triton", self.said)

    def test_a_device_without_code(self):
        """Triton does all of it, as if nothing were served."""
        program = self.write("called = []\n"
                             "times_kernel.add_pre_run_hook(lambda *arguments, **options: called.append(options))\n"
                             "x = torch.empty(64)\n"
                             "kernel = times_kernel.warmup(x, 64, BLOCK=32, grid=(1, ))\n"
                             "assert kernel.asm['ptx'] and len(called) == 1, called\n"
                             "run(64)\n"
                             "assert len(called) == 2, called\n")
        self.assertEqual(self.record(program), 0, self.said)
        self.build()
        self.assertEqual(self.serve(program, options=()), 0, self.said)
        self.assertIn("the library has no code for cuda:90", self.said)

    def test_import_and_merge(self):
        program = self.write("import nereid.record\nrun(100)\nnereid.record.stop()\nrun(64)\n")
        self.assertEqual(self.run_python(program), 0, self.said)
        self.assertEqual(self.launches("app.recorded.json"), 1)
        self.assertEqual(self.run_python(program, NEREID_RECORD="app.recorded.json"), 0, self.said)
        self.assertEqual(self.launches("app.recorded.json"), 2)
        self.write("run(64)\n")
        self.assertEqual(self.record(program), 0, self.said)
        self.assertEqual(self.run_python("-m", "nereid.record", "-o", "app.json", "--merge", "app.recorded.json"), 0, self.said)
        self.assertEqual(self.launches(), 3)
        self.build()
        self.write("assert run(100)[3] == 6 and run(64)[3] == 6\n")
        self.assertEqual(self.serve(program), 0, self.said)

    def test_what_is_missing_is_recorded(self):
        """The library has nothing for the GPU that the stand-in claims, and not all kernels."""
        program = self.write("run(100)\n")
        self.assertEqual(self.record(program), 0, self.said)
        self.build()
        program = self.write("run(100)\nrun(64)\nrun(64)\n")
        self.assertEqual(self.serve(program, options=(), NEREID_RECORD="missing.json"), 0, self.said)
        self.assertIn("2 specializations, 3 launches, were left to Triton", self.said)
        self.assertIn("n=i32:16, BLOCK=32): this specialization was not recorded", self.said)
        self.assertEqual(self.launches("missing.json"), 3)
        self.assertNotEqual(self.serve(program, options=("--strict", )), 0)
        self.assertIn("NotInLibrary", self.said)

    @unittest.skipUnless(shutil.which("cc"), "there is no C compiler")
    def test_on_a_gpu(self):
        """With a driver whose launches do nothing: they get there, with the hooks of profilers called, and Triton's compiler
        is not asked for anything."""
        program = self.write("run(100)\n")
        self.assertEqual(self.record(program), 0, self.said)
        done = subprocess.run([nereid, "build", "app.json", "-o", "out", "-n", "app", "-t", "cuda:90a"], capture_output=True, text=True,
                              cwd=self.folder, env={**os.environ, "NEREID_PTXAS": "none"})
        self.assertEqual(done.returncode, 0, done.stderr)
        (self.folder / "idle").mkdir()
        subprocess.run(["cc", "-O2", "-fPIC", "-shared", here.parents[1] / "benchmark/launch/idle_driver.c", "-o",
                        self.folder / "idle/libcuda.so.1"], check=True)
        program = self.write("names = []\n"
                             "if hasattr(triton, 'knobs') and hasattr(triton.knobs.runtime.launch_enter_hook, 'add'):\n"
                             "    run(100)\n"
                             "    triton.knobs.runtime.launch_enter_hook.add(lambda told: names.append(told.get()['name']))\n"
                             "    run(100)\n    assert names == ['times_kernel'], names\n"
                             "else:\n    run(100)\n    run(100)\n"
                             "assert not stand_in.launches\n")
        self.assertEqual(self.serve(program, options=("--strict", ), LD_LIBRARY_PATH=str(self.folder / "idle")), 0, self.said)
        self.assertIn("2 launches of 1 specializations", self.said)
        self.assertFalse(self.cache.exists(), "Triton wrote into its cache")

    def test_what_cannot_be_recorded_is_said(self):
        program = self.write("x = torch.zeros(32)\nfor _ in range(3):\n    times_kernel[(1, )](x, 32, BLOCK=32, enable_fp_fusion=False)\n")
        self.assertEqual(self.record(program), 0, self.said)
        self.assertIn("not recorded: __main__.times_kernel, 3 launches: the option enable_fp_fusion=False", self.said)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["app.py", "cache"])

    def test_graphs(self):
        """What PyTorch's compiler launches is recorded, though its file is gone, and served: it compiles and measures nothing, and
        sends nothing to the processes that it compiles in."""
        try:
            import torch._inductor.runtime.triton_heuristics  # noqa: F401
        except ImportError as problem:
            self.skipTest(str(problem))
        self.environment["TORCHINDUCTOR_CACHE_DIR"] = str(self.folder / "graphs")
        self.assertEqual(self.record(here / "graph.py"), 0, self.said)
        grids = {kernel["function"]: kernel["grid"] for kernel in self.manifest()["kernels"]}
        self.assertEqual(grids, dict.fromkeys(("triton_poi_fused_add_relu_0", "triton_poi_fused_add_relu_1"), "cdiv(xnumel, XBLOCK)"))
        self.assertEqual(self.launches(), 4)
        self.assertGreater(int(self.printed.split()[0]), 2, "nothing was measured")
        self.assertNotIn("left out", self.build())
        self.build_for_gpu()
        shutil.rmtree(self.folder / "graphs")
        self.assertEqual(self.serve(here / "graph.py", "--served", options=("--strict", ), TRITON_PTXAS_PATH="/bin/false"), 0, self.said)
        self.assertEqual(self.printed, "2 4\n")
        self.assertIn("so did the code of 2 compilations", self.said)

    def test_a_full_disk(self):
        """The program goes on, one line says so, and what was written down before is not lost."""
        program = self.write("import resource\n"
                             "run(100)\n"
                             "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
                             "run(100)\n"
                             "print('went on')\n")
        self.assertEqual(self.record(program), 0, self.said)
        self.assertEqual(self.printed, "went on\n")
        self.assertNotIn("Traceback", self.said)
        self.assertIn("nereid.record: error: cannot write 'app.json': File too large\n", self.said)
        self.assertIn("1 kernels, 1 specializations, 1 launches in app.json", self.said)

    def test_kernels_that_are_made_again(self):
        program = self.write("def make():\n"
                             "    @triton.jit\n"
                             "    def made_kernel(x, n, BLOCK: tl.constexpr):\n"
                             "        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
                             "        tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)\n"
                             "    return made_kernel\n"
                             "for _ in range(3): make()[(4, )](torch.zeros(100), 100, BLOCK=32)\n")
        self.assertEqual(self.record(program), 0, self.said)
        self.build()
        self.assertEqual(self.serve(program), 0, self.said)
        self.assertIn("3 launches of 1 specializations came from libapp.so", self.said)

    def test_a_compiled_program(self):
        """torch.compile with max_autotune and coordinate descent: what was chosen is served, the rest is neither compiled nor measured. With
        PyTorch's own launchers, and with what other processes have compiled for the recording."""
        try:
            import torch._inductor.runtime.static_cuda_launcher  # noqa: F401
        except ImportError as problem:
            self.skipTest(str(problem))
        self.environment["TORCHINDUCTOR_CACHE_DIR"] = str(self.folder / "graphs")
        for options in ((), ("--static", ), ("--workers", )):
            with self.subTest(options=options):
                for folder in ("graphs", "cache"):
                    shutil.rmtree(self.folder / folder, ignore_errors=True)
                self.assertEqual(self.record(here / "compiled.py", *options), 0, self.said)
                measured, images, launches, *names = self.printed.split()[-6:]
                self.assertEqual((measured, launches), ("3", "3"))
                self.assertGreater(int(images), 3, "nothing was tried")
                kernels = {kernel["function"]: kernel["signatures"] for kernel in self.manifest()["kernels"]}
                self.assertEqual(list(kernels), names, "what was tried is recorded, or what was launched is not")
                self.assertEqual(self.launches(), 3)
                self.assertEqual(kernels["triton_poi_fused_sigmoid_2"][0]["num_warps"], 2)
                self.build_for_gpu()
                for again in range(2):  # The second time the graph comes from PyTorch's cache.
                    if not again:
                        for folder in ("graphs", "cache"):
                            shutil.rmtree(self.folder / folder, ignore_errors=True)
                    self.assertEqual(self.serve(here / "compiled.py", "--served", *options, options=("--strict", ),
                                                TRITON_PTXAS_PATH="/bin/false"), 0, self.said)
                    measured, images, launches, *found = self.printed.split()[-6:]
                    self.assertEqual((measured, launches), ("0", "3"))
                    self.assertEqual([name.rpartition("__")[0] for name in found], names)
                    self.assertEqual(len({name.rpartition("__")[2] for name in found}), 3)

    def build_for_gpu(self):
        """Returns the digests of the machine code in the library; without ptxas there is none."""
        done = subprocess.run([nereid, "build", "app.json", "-o", "out", "-n", "app", "-t", "cuda:90a"], capture_output=True, text=True,
                              cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = subprocess.run([nereid, "inspect", "--json", "out/libapp.so"], capture_output=True, text=True, cwd=self.folder)
        kept = [target.get("kept_image") for library in json.loads(done.stdout)["libraries"] for kernel in library["kernels"]
                for variant in kernel["variants"] for target in variant["targets"]]
        if None in kept:
            self.skipTest("there is no ptxas")
        return {image["sha256"] for image in kept}

    def test_programs_that_compile_by_themselves(self):
        """Triton's compiler gives them the library's machine code, and runs neither its passes nor ptxas."""
        program = self.write("import hashlib\n"
                             "from triton.backends.compiler import GPUTarget\n"
                             "from triton.compiler import ASTSource\n"
                             "def compile(**options):\n"
                             "    source = ASTSource(times_kernel, {'x': '*fp32', 'n': 'i32', 'BLOCK': 'constexpr'}, {'BLOCK': 32},\n"
                             "                       {(0, ): [['tt.divisibility', 16]]})\n"
                             "    return triton.compile(source, target=GPUTarget('cuda', 90, 32), options=options)\n"
                             "x = torch.zeros(100)\n"
                             "for options in ({}, {'num_warps': 8, 'num_stages': 3, 'debug': True, 'sanitize_overflow': False}):\n"
                             "    kernel = compile(**options)\n"
                             "    kernel[(4, 1, 1)](x, 100, 32)\n"
                             "    (name, image), = stand_in.images\n"
                             "    stand_in.images.clear()\n"
                             "    assert stand_in.launches.pop() == name == kernel.metadata.name and image == kernel.asm['cubin']\n"
                             "    assert kernel.metadata.num_warps == options.get('num_warps', 4) and kernel.metadata.shared == 0\n"
                             "    print(hashlib.sha256(image).hexdigest())\n"
                             "if '--more' in sys.argv: compile(num_warps=2)\n"
                             "if '--launch' in sys.argv: run(100)\n")
        self.assertEqual(self.record(program), 0, self.said)
        self.assertEqual(self.launches(), 2)
        kept = self.build_for_gpu()
        nowhere = {"TRITON_PTXAS_PATH": "/bin/false", "TRITON_PTXAS_BLACKWELL_PATH": "/bin/false"}
        self.assertEqual(self.serve(program, options=("--strict", ), **nowhere), 0, self.said)
        self.assertEqual(set(self.printed.split()), kept)
        self.assertEqual(len(kept), 2)
        self.assertEqual(self.said, "nereid.serve: 0 launches of 0 specializations came from libapp.so\n"
                                    "nereid.serve: so did the code of 2 compilations that the program made itself\n")
        self.assertEqual(self.serve(program, "--more", options=()), 0, self.said)
        self.assertIn("times_kernel(x=*fp32:16, n=i32, BLOCK=32, num_warps=2): this specialization was not recorded", self.said)
        self.assertNotEqual(self.serve(program, "--more", options=("--strict", )), 0, self.said)
        self.assertIn("NotInLibrary", self.said)

    def test_modules(self):
        self.write("run(int(sys.argv[2]))\n", "module_of_mine.py")
        self.assertEqual(self.run_python("-m", "nereid.record", "-o", "app.json", "-m", "module_of_mine", "--size", "64"), 0, self.said)
        self.assertEqual(self.launches(), 1)
        self.build()
        self.assertEqual(self.serve("-m", "module_of_mine", "--size", "64"), 0, self.said)

    def test_a_program_that_goes_by_its_device(self):
        program = self.write("many = triton.runtime.driver.active.utils.get_device_properties(0)['multiprocessor_count']\n"
                             "run(100, 64 if many == 132 else 32)\n"
                             "if '--check' in sys.argv: triton.runtime.driver.active.get_device_interface().synchronize()\n")
        self.assertEqual(self.record(program), 0, self.said)
        self.assertEqual(self.manifest()["recorded"]["devices"], [{"target": "cuda:90a", "name": "", "multiprocessors": 132}])
        self.build()
        self.assertEqual(self.serve(program, "--check"), 0, self.said)

    def test_in_a_program(self):
        program = self.write("run(100)\n")
        self.assertEqual(self.record(program), 0, self.said)
        self.build()
        program = self.write("import nereid\nnereid.serve('out/libapp.so', device='cpu', quiet=True)\nassert run(100)[3] == 6\n")
        self.assertEqual(self.run_python(program), 0, self.said)
        self.assertEqual(self.said, "")

    def test_wrong_files(self):
        program = self.write("run(100)\n")
        (self.folder / "text.so").write_text("no library")
        shutil.copy("/bin/true", self.folder / "true.so")
        self.assertEqual(self.record(program), 0, self.said)
        manifest = self.manifest()
        manifest["kernels"][0]["signatures"][0]["recorded"]["winners"] = 3
        (self.folder / "app.json").write_text(json.dumps(manifest))
        self.build()
        (self.folder / "out/libapp.so").rename(self.folder / "edited.so")
        for file, words in (("edited.so", 'has what no recording writes as "recorded" of times_kernel'), ("none.so", "cannot open"), ("text.so", "is no library"), ("true.so", "was not made by Nereid")):
            self.assertEqual(self.run_python("-m", "nereid.serve", file, program), 2)
            self.assertIn(words, self.said)
            # As the wheel's .pth file begins.
            begun = "import nereid._startup, runpy; nereid._startup.begin(); runpy.run_path('app.py')"
            self.assertEqual(self.run_python("-c", begun, NEREID_SERVE=file), 2)
            self.assertRegex(self.said, f"^nereid: error: NEREID_SERVE={file}: .*{words}.*\n$")


if __name__ == "__main__":
    try:
        import torch  # noqa: F401
        import triton  # noqa: F401
    except ImportError as problem:
        print(f"skipped: {problem}")
        sys.exit(77)
    unittest.main()
