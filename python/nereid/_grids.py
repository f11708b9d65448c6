"""A grid as an expression over a kernel's arguments, found from launches.

    launches                                    expression
    n=1000  BLOCK=64   grid 16                  cdiv(n, BLOCK)
    n=5000  BLOCK=128  grid 40

Expressions of the forms that launchers have are tried, simple ones first. One is taken if it gives the grids of all
launches, and is the only one of its simplicity that does. Launches do not tell a grid when they say too little: a number
that never changes may be a batch's size as well as a constant, and in products of square matrices alone M is as good as N.
Then there is no expression, and callers give the grid; a wrong one would leave parts of results unwritten.
"""
from __future__ import annotations

import re
from typing import Dict, FrozenSet, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

Vector = Tuple[int, ...]


class Launch(NamedTuple):
    values: Mapping[str, int]  # the integers among the arguments and compile-time values
    grid: Tuple[int, int, int]


def cdiv(a: int, b: int) -> int:
    return -(-a // b)


class _Variables:
    """The names, those that are the same in all launches together."""

    def __init__(self, launches: Sequence[Launch], constants: Set[str], hints: Set[str]) -> None:
        names = [n for n in launches[0].values if all(n in launch.values for launch in launches)]
        classes: Dict[Vector, List[str]] = {}
        for name in names:
            classes.setdefault(tuple(launch.values[name] for launch in launches), []).append(name)
        self.constants = constants
        self.names: Dict[Vector, str] = {}
        self.divisors: Dict[Vector, List[str]] = {}
        self.unclear: Set[Vector] = set()
        for vector, members in classes.items():
            # Strides go with sizes, and no grid is made of them.
            told = [n for n in members if n in hints]
            likely = told or [n for n in members if "stride" not in n.lower()]
            if not likely or min(vector) < 1:
                continue
            runtime = [n for n in likely if n not in constants]
            fixed = [n for n in likely if n in constants]
            self.names[vector] = (runtime or fixed)[0]
            # Values that are compiled in are those of the launches; any name of the same values will do.
            if len(runtime) > 1 or (runtime and fixed and not told):
                self.unclear.add(vector)
            if fixed:
                self.divisors[vector] = fixed


Found = Tuple[str, FrozenSet[Vector]]  # an expression, and what it is made of


def _tiers(target: Vector, v: _Variables) -> Iterable[List[Found]]:
    """Expressions that give the target, those of each degree of simplicity together."""
    ones = (1,) * len(target)
    plain: Dict[Vector, Found] = {vector: (name, frozenset([vector])) for vector, name in v.names.items() if vector != ones}
    yield [plain[target]] if target in plain else []

    quotients: Dict[Vector, List[Found]] = {}
    for b, divisors in v.divisors.items():
        if b == ones:
            continue
        for a, (name, _) in plain.items():
            if a == b or len(set(a)) == 1 == len(set(b)) and a[0] <= b[0]:
                continue
            value = tuple(map(cdiv, a, b))
            text = max((f"cdiv({name}, {divisor})" for divisor in divisors), key=_nearness)
            quotients.setdefault(value, []).append((text, frozenset([a, b])))
    products: Dict[Vector, List[Found]] = {}
    ordered = list(plain.items())
    for i, (a, (left, _)) in enumerate(ordered):
        for b, (right, _) in ordered[i:]:
            products.setdefault(tuple(x * y for x, y in zip(a, b)), []).append((f"{left} * {right}", frozenset([a, b])))
    yield quotients.get(target, []) or products.get(target, [])

    def rest(of: Vector) -> Optional[Vector]:
        return tuple(t // x for t, x in zip(target, of)) if all(t % x == 0 for t, x in zip(target, of)) else None

    third: List[Found] = []
    for value, found in quotients.items():
        if value == ones:
            continue
        left = rest(value)
        if left in plain:
            third += [(f"{text} * {plain[left][0]}", made | plain[left][1]) for text, made in found]
        for c, (name, made_c) in plain.items():
            if tuple(map(min, value, c)) == target and value != target and c != target:
                third += [(f"min({text}, {name})", made | made_c) for text, made in found]
    for b, divisors in v.divisors.items():
        if b == ones:
            continue
        for value, found in products.items():
            if tuple(map(cdiv, value, b)) == target:
                third += [(f"cdiv({text}, {divisors[0]})", made | {b}) for text, made in found if b not in made]
    yield third

    literals: List[Found] = []
    for a, (name, made) in plain.items():
        for power in range(1, 17):
            if tuple(cdiv(x, 1 << power) for x in a) == target and len(set(target)) > 2:
                literals.append((f"cdiv({name}, {1 << power})", made))
    yield literals

    fourth: List[Found] = []
    for value, found in quotients.items():
        left = rest(value) if value != ones else None
        if left is None:
            continue
        for text, made in found:
            for other, made_other in quotients.get(left, []):
                if left != ones and text <= other:
                    fourth.append((f"{text} * {other}", made | made_other))
            for other, made_other in products.get(left, []):
                fourth.append((f"{text} * {other}", made | made_other))
    yield fourth

    fifth: List[Found] = []
    for c, (name, made_c) in plain.items():
        left = rest(c)
        if left is None or left == ones:
            continue
        for value, found in quotients.items():
            if value == ones or any(x % y for x, y in zip(left, value)):
                continue
            others = quotients.get(tuple(x // y for x, y in zip(left, value)), [])
            for text, made in found:
                fifth += [(f"{text} * {other} * {name}", made | more | made_c) for other, more in others if text <= other]
    # As many programs as the device has room for, at most.
    whole = [(value, item) for value, found in quotients.items() if len(set(value)) > 1 for item in found]
    for c, (name, made_c) in plain.items():
        if c != target and all(t <= x for t, x in zip(target, c)) and any(t == x for t, x in zip(target, c)):
            for i, (a, (text, made)) in enumerate(whole):
                for b, (other, more) in whole[i:]:
                    if all(min(x * y, z) == t for x, y, z, t in zip(a, b, c, target)):
                        fifth.append((f"min({text} * {other}, {name})", made | more | made_c))
    yield fifth


def _nearness(text: str) -> int:
    """How well the names that are divided go with those that they are divided by: M with BLOCK_M."""
    score = 0
    for a, b in re.findall(r"cdiv\(([^(),]*), ([^(),]*)\)", text):
        last = re.split(r"[_\s]", b)[-1].lower()
        score += any(last and (part.lower() == last or part.lower().startswith(last)) for part in re.split(r"[_\s*]+", a))
    return score


def _fit_axis(target: Vector, v: _Variables, hints: Set[str]) -> Optional[str]:
    if all(size == 1 for size in target):
        return "1"
    if len(set(target)) == 1:
        return None
    for found in _tiers(target, v):
        if not found:
            continue
        clear = {text: made for text, made in found if not made & v.unclear}
        if not clear:
            return None
        if len(clear) > 1:
            told = [t for t in clear if hints and set(re.findall(r"[A-Za-z_]\w*", t)) - {"cdiv", "min"} <= hints]
            # Of those that are made of the same numbers it does not matter which.
            kinds = {made for text, made in clear.items()}
            if len(told) == 1:
                return told[0]
            if len(kinds) > 1:
                best = max(map(_nearness, clear))
                near = [text for text in clear if _nearness(text) == best]
                return near[0] if best and len(near) == 1 else None
        return max(clear, key=_nearness)
    return None


def fit(launches: Sequence[Launch], constants: Iterable[str] = (), hints: Iterable[str] = ()) -> Optional[str]:
    """The grid's expression, or None if the launches do not tell it. `constants` are the names that are known when
    the kernel is compiled, `hints` names that the launcher's own expression has."""
    different = {(tuple(sorted(launch.values.items())), tuple(launch.grid)) for launch in launches}
    if len(different) < 2:
        return None
    launches = [Launch(dict(values), grid) for values, grid in sorted(different)]  # type: ignore[arg-type]
    told = set(hints)
    variables = _Variables(launches, set(constants), told)
    axes: List[str] = []
    for axis in range(3):
        text = _fit_axis(tuple(launch.grid[axis] for launch in launches), variables, told)
        if text is None:
            return None
        axes.append(text)
    while len(axes) > 1 and axes[-1] == "1":
        axes.pop()
    if axes == ["1"]:
        return None  # Nothing changed; who knows whether it would.
    return ", ".join(axes)
