"""What processes write down, its sum, and the manifest that is made of it. Needs no Triton."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "python"))
from nereid import _library, _manifest, _recording  # noqa: E402

KERNEL = "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef {0}(x, n, BLOCK: tl.constexpr):\n    pass\n"


def source(digest, kernel="fill_kernel", module="app"):
    return {"event": "source", "digest": digest, "kernel": kernel, "module": module, "file": module + ".py", "line": 3,
            "files": {kernel + ".py": KERNEL.format(kernel)}}


def words(x="*fp32:16", n="i32", block=64):
    return [{"name": "x", "text": x, "constant": None, "integer": None, "constexpr": False},
            {"name": "n", "text": n, "constant": None, "integer": None, "constexpr": False},
            {"name": "BLOCK", "text": str(block), "constant": "integer", "integer": block, "constexpr": True}]


def specialization(identity, digest, launches=1, grids=((1000, 16), ), options=None, **given):
    made = words(**given)
    block = made[2]["integer"]
    return [{"event": "specialization", "identity": identity, "source": digest, "words": made, "options": options or {},
             "debug": False},
            {"event": "launches", "identity": identity, "launches": launches, "first_launch_seconds": 0.5,
             "kernel_seconds": None, "hints": [],
             "grids": [{"values": {"n": n, "BLOCK": block}, "grid": [grid, 1, 1], "launches": 1} for n, grid in grids]}]


def winner(digest, key, identity, **settings):
    return {"event": "winner", "source": digest, "key": [str(key)], "values": {"n": key}, "settings": settings,
            "specializations": [identity], "seconds": 1e-5}


def record(*events):
    recording = _recording.new_recording()
    for event in events:
        for one in event if isinstance(event, list) else [event]:
            _recording.add_event(recording, one)
    return recording


def kernels_of(recording):
    return _manifest.make_manifest(recording, "/tmp/app.json")["kernels"]


class Selections(unittest.TestCase):
    """What PyTorch's compiler chose, which is of no kernel."""

    @staticmethod
    def selection(number, choice):
        return {"event": "selection", "key": ["mm", "[sizes]", str(number)], "choice": ["TritonTemplateCaller", choice]}

    def found(self, recording):
        return [(int(one["key"][2]), one["choice"][1]) for one in recording["selections"]]

    def test_what_is_chosen_alike_is_kept_once(self):
        recording = record(*[self.selection(number, "a") for number in range(3)], self.selection(3, "b"))
        self.assertEqual(self.found(recording), [(0, "a"), (3, "b")])

    def test_the_later_one_counts(self):
        recording = record(self.selection(0, "a"), self.selection(1, "b"))
        _recording.add_recording(recording, record(self.selection(0, "c")))
        self.assertEqual(sorted(self.found(recording)), [(0, "c"), (1, "b")])
        older = {name: value for name, value in record().items() if name != "selections"}  # without any
        _recording.add_recording(older, recording)
        self.assertEqual(sorted(self.found(older)), [(0, "c"), (1, "b")])
        _recording.add_recording(recording, record())

    def test_some_variants_carry_them(self):
        digests = [f"{number:02}" for number in range(10)]
        recording = record(*[[source(digest, f"kernel_{digest}"), *specialization(digest, digest)] for digest in digests],
                           self.selection(0, "a"))
        carriers = [kernel["kernel"] for kernel in kernels_of(recording) if "selections" in kernel["signatures"][0]["recorded"]]
        self.assertEqual(carriers, ["kernel_00", "kernel_03", "kernel_06"])
        for count in (1, 2, 3, 4):
            few = record(*[[source(digest, f"kernel_{digest}"), *specialization(digest, digest)] for digest in digests[:count]],
                         self.selection(0, "a"))
            self.assertEqual(sum("selections" in kernel["signatures"][0]["recorded"] for kernel in kernels_of(few)), min(count, 3))
        self.assertFalse(any("selections" in kernel["signatures"][0]["recorded"]
                             for kernel in kernels_of(record(source("a"), specialization("1", "a")))))


class Functions(unittest.TestCase):

    def test_one_function_for_what_calls_tell_apart(self):
        kernel, = kernels_of(record(source("a"), specialization("1", "a"), specialization("2", "a", n="i32:16"),
                                    specialization("3", "a", block=128)))
        self.assertEqual(kernel["function"], "fill_kernel")
        self.assertEqual(kernel["dispatch"], ["BLOCK"])
        self.assertEqual({s["recorded"]["identity"] for s in kernel["signatures"]}, {"1", "2", "3"})

    def test_types_are_functions(self):
        kernels = kernels_of(record(source("a"), specialization("1", "a"), specialization("2", "a", x="*fp16:16")))
        self.assertEqual({kernel["function"] for kernel in kernels}, {"fill_kernel_fp32", "fill_kernel_fp16"})

    def test_null_pointers_are_the_same_function(self):
        none = specialization("2", "a")
        none[0]["words"][0] = {"name": "x", "text": "None", "constant": "none", "integer": None, "constexpr": False}
        kernel, = kernels_of(record(source("a"), specialization("1", "a"), none))
        self.assertEqual(len(kernel["signatures"]), 2)
        self.assertNotIn("dispatch", kernel)

    def test_options_alone_make_functions(self):
        kernels = kernels_of(record(source("a"), specialization("1", "a"), specialization("2", "a", options={"num_warps": 8})))
        self.assertEqual([len(kernel["signatures"]) for kernel in kernels], [1, 1])
        self.assertEqual(len({kernel["function"] for kernel in kernels}), 2)

    def test_kernels_of_a_name(self):
        kernels = kernels_of(record(source("a", module="pack.one"), source("b", module="pack.two"), specialization("1", "a"),
                                    specialization("2", "b")))
        self.assertEqual({kernel["function"] for kernel in kernels}, {"one_fill_kernel", "two_fill_kernel"})

    def test_names_that_c_has(self):
        for name in ("exp", "register", "main", "_Reserved", "__double", "nrd_x", "sum"):
            kernel, = kernels_of(record(source("a", kernel=name), specialization("1", "a")))
            self.assertNotEqual(kernel["function"], name)
            self.assertRegex(kernel["function"], r"^([A-Za-z]|_[a-z])\w+$")


class LaunchedGrids(unittest.TestCase):

    def test_what_the_library_is_given(self):
        sizes = lambda grid: tuple(getattr(_library.grids[grid], field) for field, _ in _library.Dim3._fields_)
        self.assertEqual(sizes((7, )), (7, 1, 1))
        self.assertEqual(sizes((7, 5, 3, 9)), (7, 5, 3))
        self.assertEqual(sizes((2**31 - 1, )), (2**31 - 1, 1, 1))
        self.assertEqual(sizes((-1, 2)), (0, 0, 0))  # Triton launches nothing.
        for grid, error in (((2**32 + 1, ), OverflowError), ((1, 2**31), OverflowError), ((-2**31 - 1, ), OverflowError),
                            ((-1, -1), RuntimeError), ((), IndexError), ((2.5, ), TypeError)):
            with self.assertRaises(error):
                _library.grids[grid]


class Winners(unittest.TestCase):

    def test_keys_are_conditions(self):
        kernel, = kernels_of(record(
            source("a"), specialization("1", "a", launches=9, block=64), specialization("2", "a", block=128, grids=((200, 2), )),
            specialization("3", "a", block=256, grids=((300, 2), (400, 2))), winner("a", 100, "1", BLOCK=64), winner("a", 200, "2", BLOCK=128),
            winner("a", 300, "3", BLOCK=256), winner("a", 400, "3", BLOCK=256)))
        self.assertNotIn("dispatch", kernel)
        when = {s["recorded"]["identity"]: s.get("when") for s in kernel["signatures"]}
        self.assertEqual(when, {"1": None, "2": "n == 200", "3": "(n == 300) or (n == 400)"})

    def test_a_variant_that_also_runs_without_its_key(self):
        kernels = kernels_of(record(
            source("a"), specialization("1", "a", launches=9, block=64), specialization("2", "a", block=128, grids=((200, 2), (7, 1))),
            winner("a", 100, "1", BLOCK=64), winner("a", 200, "2", BLOCK=128)))
        self.assertEqual(len(kernels), 2)
        self.assertFalse([s for kernel in kernels for s in kernel["signatures"] if "when" in s])

    def test_the_later_winner_counts(self):
        recording = record(source("a"), specialization("1", "a"), specialization("2", "a", block=128),
                           winner("a", 100, "1", BLOCK=64), winner("a", 100, "2", BLOCK=128))
        self.assertEqual([w["specializations"] for w in recording["tuned"]["a"]], [["2"]])

    def test_without_a_key_they_are_functions(self):
        one, two = winner("a", 100, "1", BLOCK=64), winner("a", 200, "2", BLOCK=128)
        one["values"] = two["values"] = {}
        kernels = kernels_of(record(source("a"), specialization("1", "a"), specialization("2", "a", block=128), one, two))
        self.assertEqual(len(kernels), 2)


class Files(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "app.json")

    def write(self, path, *events):
        journal = _recording.Journal(path)
        for event in events:
            journal.write(*(event if isinstance(event, list) else [event]))
        return journal

    def read(self):
        with open(self.path) as file:
            return json.load(file)

    def test_parts_add_up(self):
        a = self.write(self.path, source("a"), specialization("1", "a", launches=2))
        b = self.write(self.path, source("a"), specialization("1", "a", launches=3), specialization("2", "a", n="i32:16"))
        a.close()
        _manifest.collect(self.path)
        self.assertEqual(self.read()["kernels"][0]["signatures"][0]["recorded"]["launches"], 2)  # b is still writing.
        b.close()
        _manifest.collect(self.path)
        launches = {s["recorded"]["identity"]: s["recorded"]["launches"] for s in self.read()["kernels"][0]["signatures"]}
        self.assertEqual(launches, {"1": 5, "2": 1})
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["app.json", "app.sources"])

    def test_a_line_that_was_cut_short(self):
        journal = self.write(self.path, source("a"), specialization("1", "a"))
        journal.file.write('{"event": "specialization", "identity": "2", "sou')
        journal.close()
        _manifest.collect(self.path)
        self.assertEqual(len(self.read()["kernels"][0]["signatures"]), 1)

    def test_merging(self):
        other = os.path.join(self.folder.name, "sub", "other.json")
        os.mkdir(os.path.dirname(other))
        self.write(self.path, source("a"), specialization("1", "a", launches=2)).close()
        self.write(other, source("a"), source("b", kernel="other_kernel"), specialization("1", "a", launches=5),
                   specialization("3", "b")).close()
        _manifest.collect(self.path)
        _manifest.collect(other)
        command = [sys.executable, "-m", "nereid.record", "-o", self.path, "--merge", other]
        subprocess.run(command, check=True, capture_output=True,
                       env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3] / "python")})
        manifest = self.read()
        launches = {s["recorded"]["identity"]: s["recorded"]["launches"] for k in manifest["kernels"] for s in k["signatures"]}
        self.assertEqual(launches, {"1": 7, "3": 1})
        for kernel in manifest["kernels"]:
            self.assertTrue(os.path.exists(os.path.join(self.folder.name, kernel["source"])))

    def test_a_new_recording_takes_the_old_one_away_and_nothing_else(self):
        self.write(self.path, source("a"), specialization("1", "a")).close()
        _manifest.collect(self.path)
        mine = Path(self.folder.name) / "app.sources" / "mine.txt"
        mine.write_text("mine")
        _manifest.remove(self.path)
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["app.sources"])
        self.assertEqual(os.listdir(mine.parent), ["mine.txt"])

    def test_other_files_stay(self):
        with open(self.path, "w") as file:
            file.write('{"settings": 1}')
        done = subprocess.run([sys.executable, "-m", "nereid.record", "-o", self.path, __file__], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3] / "python")})
        self.assertEqual(done.returncode, 2)
        self.assertIn("is no recording", done.stderr)
        self.assertEqual(self.read(), {"settings": 1})

    @unittest.skipUnless(os.environ.get("NEREID"), "NEREID names no nereid")
    def test_it_builds(self):
        self.write(self.path, source("a"), {"event": "device", "target": "cuda:90a", "name": "A GPU"},
                   specialization("1", "a", grids=((1000, 16), (64, 1))), specialization("2", "a", n="i32:16"),
                   specialization("3", "a", block=128, options={"num_warps": 8}, grids=((64, 1), )), winner("a", 64, "3", BLOCK=128)).close()
        _manifest.collect(self.path)
        out = os.path.join(self.folder.name, "out")
        done = subprocess.run([os.environ["NEREID"], "build", self.path, "-o", out, "-t", "cpu:x86-64-v2"], capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(out, "app.h")) as file:
            self.assertIn("nrd_status app_fill_kernel(nrd_stream stream, ", file.read(), "it has no grid")


if __name__ == "__main__":
    unittest.main()
