"""Grids from launches: the forms that launchers have, and what launches do not tell."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "python"))
from nereid._grids import Launch, cdiv, fit  # noqa: E402


def launches(function, *values):
    """Launches of a grid that is a function of what the kernel is given."""
    made = []
    for given in values:
        grid = function(**given)
        grid = grid if isinstance(grid, tuple) else (grid, )
        made.append(Launch(given, grid + (1, ) * (3 - len(grid))))
    return made


def evaluate(text, **values):
    grid = eval(f"({text},)", {"cdiv": cdiv, "min": min, "max": max}, values)
    return tuple(grid) + (1, ) * (3 - len(grid))


class Told(unittest.TestCase):

    def check(self, function, seen, others, constants, hints=()):
        """An expression that is found is right for launches that nobody has seen."""
        text = fit(launches(function, *seen), constants, hints)
        self.assertIsNotNone(text)
        for launch in launches(function, *others):
            self.assertEqual(evaluate(text, **launch.values), launch.grid, text)
        return text

    def test_blocks(self):
        text = self.check(lambda n, BLOCK: cdiv(n, BLOCK), [dict(n=1000, BLOCK=64), dict(n=5000, BLOCK=128)],
                          [dict(n=1, BLOCK=64), dict(n=640, BLOCK=64)], {"BLOCK"})
        self.assertEqual(text, "cdiv(n, BLOCK)")

    def test_rows(self):
        self.check(lambda rows, columns, stride, BLOCK: rows,
                   [dict(rows=r, columns=c, stride=c, BLOCK=1024) for r, c in ((4, 100), (9, 1000))],
                   [dict(rows=77, columns=1, stride=1, BLOCK=1024)], {"BLOCK"})

    def test_tiles(self):
        def grid(M, N, K, BLOCK_M, BLOCK_N, GROUP):
            return cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)

        fixed = dict(BLOCK_M=64, BLOCK_N=64, GROUP=8)
        text = self.check(grid, [dict(M=m, N=n, K=k, **fixed) for m, n, k in ((1000, 640, 32), (5000, 128, 64))],
                          [dict(M=7, N=100, K=5, **fixed)], set(fixed))
        self.assertEqual(text, "cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)")

    def test_two_axes_and_a_batch(self):
        self.check(lambda M, N, H, Z, BLOCK: (cdiv(M, BLOCK), Z * H),
                   [dict(M=m, N=3 * m, H=h, Z=z, BLOCK=128) for m, h, z in ((1000, 4, 2), (500, 8, 3), (64, 5, 7))],
                   [dict(M=2048, N=1, H=1, Z=9, BLOCK=128)], {"BLOCK"})

    def test_persistent(self):
        self.check(lambda M, N, BM, BN, SMS: min(SMS, cdiv(M, BM) * cdiv(N, BN)),
                   [dict(M=m, N=n, BM=128, BN=64, SMS=132) for m, n in ((512, 200), (8192, 8192), (777, 555))],
                   [dict(M=1, N=1, BM=128, BN=64, SMS=132), dict(M=9999, N=9999, BM=128, BN=64, SMS=132)], {"BM", "BN", "SMS"})

    def test_a_number_in_the_launcher(self):
        self.check(lambda n, x: cdiv(n, 256), [dict(n=n, x=5) for n in (1000, 5000, 300)], [dict(n=1 << 20, x=5)], {"x"})

    def test_hints_decide(self):
        seen = [dict(rows=n, columns=n, BLOCK=32) for n in (100, 200, 300)]
        self.assertIsNone(fit(launches(lambda rows, columns, BLOCK: rows, *seen), {"BLOCK"}))
        self.assertEqual(fit(launches(lambda rows, columns, BLOCK: rows, *seen), {"BLOCK"}, {"rows"}), "rows")


class NotTold(unittest.TestCase):

    def test_one_launch(self):
        self.assertIsNone(fit(launches(lambda n, BLOCK: cdiv(n, BLOCK), dict(n=1000, BLOCK=64)), {"BLOCK"}))

    def test_the_same_launch_again(self):
        self.assertIsNone(fit(launches(lambda n, BLOCK: cdiv(n, BLOCK), *[dict(n=1000, BLOCK=64)] * 5), {"BLOCK"}))

    def test_nothing_changes(self):
        self.assertIsNone(fit(launches(lambda n: 8, *[dict(n=n) for n in (1, 2, 3, 4)])))
        self.assertIsNone(fit(launches(lambda n: 1, *[dict(n=n) for n in (1, 2, 3, 4)])))

    def test_squares(self):
        seen = [dict(M=m, N=m, B=64) for m in (512, 1024, 2048)]
        self.assertIsNone(fit(launches(lambda M, N, B: cdiv(M, B) * cdiv(N, B), *seen), {"B"}))

    def test_what_no_argument_tells(self):
        self.assertIsNone(fit([Launch(dict(n=1000, B=64), (17, 1, 1)), Launch(dict(n=2000, B=64), (90, 1, 1))], {"B"}))


if __name__ == "__main__":
    unittest.main()
