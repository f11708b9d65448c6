"""Writes UnicodeTables.inc from the Unicode database of the Python that runs this.

CPython 3.12's has Unicode 15.0, so run it with that:  python3.12 generate_unicode_tables.py > UnicodeTables.inc

Four tables, sorted, so that all of them are searched by bisection:
- identifierStarts and identifierParts: first and last character of each range; the latter only holds what
  is not in the former.
- decompositions: {character, position << 5 | length}, positions in decomposed: the full compatibility
  decomposition of every character of an identifier that has one. Hangul syllables are left to arithmetic.
- combiningClasses: {first, last, class} where the class is not 0.
- compositions: {first, second, composed}.
"""

import sys
import unicodedata


def ranges(characters):
    out = []
    for c in characters:
        if out and out[-1][1] == c - 1:
            out[-1][1] = c
        else:
            out.append([c, c])
    return out


def table(kind, name, rows):
    print(f"static const {kind} {name}[] = {{")
    line = ""
    for row in rows:
        text = "{" + ",".join(f"{v:#x}" for v in row) + "}," if isinstance(row, (list, tuple)) else f"{row:#x},"
        if len(line) + len(text) > 108:
            print(line)
            line = ""
        line += text
    print(line + "};")


def main():
    everything = [c for c in range(0x80, sys.maxunicode + 1) if not 0xD800 <= c < 0xE000]
    starts = [c for c in everything if chr(c).isidentifier()]
    parts = [c for c in everything if ("a" + chr(c)).isidentifier()]
    start_set = set(starts)

    decompositions, pool, places = [], [], {}
    for c in parts:
        text = unicodedata.normalize("NFKD", chr(c))
        if text == chr(c) or 0xAC00 <= c <= 0xD7A3:
            continue
        if text not in places:
            places[text] = len(pool)
            pool.extend(map(ord, text))
        decompositions.append((c, places[text] << 5 | len(text)))

    classes = []
    for c in everything:
        kind = unicodedata.combining(chr(c))
        if not kind:
            continue
        if classes and classes[-1][1] == c - 1 and classes[-1][2] == kind:
            classes[-1][1] = c
        else:
            classes.append([c, c, kind])

    compositions = []
    for c in everything:
        fields = unicodedata.decomposition(chr(c)).split()
        if len(fields) != 2 or fields[0].startswith("<"):
            continue
        pair = [int(f, 16) for f in fields]
        if unicodedata.normalize("NFC", "".join(map(chr, pair))) == chr(c):
            compositions.append((*pair, c))

    print(f"// Made by generate_unicode_tables.py from Unicode {unicodedata.unidata_version}. Do not edit.")
    print("// clang-format off")
    table("Range", "identifierStarts", ranges(starts))
    table("Range", "identifierParts", ranges([c for c in parts if c not in start_set]))
    table("Decomposition", "decompositions", decompositions)
    table("char32_t", "decomposed", pool)
    table("ClassRange", "combiningClasses", classes)
    table("Composition", "compositions", sorted(compositions))


if __name__ == "__main__":
    main()
