"""Compares docs/manifest.schema.json with what `nereid build` accepts (schema.sh). The validator below knows just what the
schema uses, and refuses to go on where that is not so."""

import copy
import json
import re
import subprocess
import sys
import tempfile

nereid, schema_path = sys.argv[1:]
schema = json.load(open(schema_path))
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def has_type(value, name):
    if name in ("integer", "number"):
        return isinstance(value, int if name == "integer" else (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def is_valid(value, rules):
    for word, rule in rules.items():
        if word in ("$schema", "title", "description", "default", "$defs"):
            ok = True
        elif word == "$ref":
            ok = is_valid(value, schema["$defs"][rule.rsplit("/", 1)[1]])
        elif word == "type":
            ok = any(has_type(value, name) for name in ([rule] if isinstance(rule, str) else rule))
        elif word == "enum":
            ok = value in rule
        elif word == "anyOf":
            ok = any(is_valid(value, option) for option in rule)
        elif word == "pattern":
            ok = not isinstance(value, str) or re.search(rule, value) is not None
        elif word == "minLength":
            ok = not isinstance(value, str) or len(value) >= rule
        elif word == "minimum":
            ok = not has_type(value, "number") or value >= rule
        elif word == "maximum":
            ok = not has_type(value, "number") or value <= rule
        elif word == "minItems":
            ok = not isinstance(value, list) or len(value) >= rule
        elif word == "items":
            ok = not isinstance(value, list) or all(is_valid(item, rule) for item in value)
        elif word == "required":
            ok = not isinstance(value, dict) or all(key in value for key in rule)
        elif word == "properties":
            ok = not isinstance(value, dict) or all(is_valid(value[key], rule[key]) for key in rule if key in value)
        elif word == "propertyNames":
            ok = not isinstance(value, dict) or all(is_valid(key, rule) for key in value)
        elif word == "additionalProperties":
            others = [] if not isinstance(value, dict) else [v for k, v in value.items() if k not in rules.get("properties", {})]
            ok = not others if rule is False else all(is_valid(other, rule) for other in others)
        else:
            sys.exit(f"check_schema.py does not know '{word}'")
        if not ok:
            return False
    return True


folder = tempfile.TemporaryDirectory()


def run(manifest):
    path = folder.name + "/manifest.json"
    with open(path, "w") as file:
        json.dump(manifest, file)
    result = subprocess.run([nereid, "build", path, "-o", folder.name + "/out"], capture_output=True, text=True)
    if result.returncode != 1:
        sys.exit(f"exit code {result.returncode} for {json.dumps(manifest)}: {result.stderr}")
    return result.stderr


def is_accepted(manifest):
    """There is no source, which is looked for once the manifest has been read. What a value's text means is no matter of the
    schema."""
    text = run(manifest)
    return "cannot open" in text or "is neither a type nor a compile-time value" in text


GOOD = {
    "$schema": "manifest.schema.json", "name": "good", "kind": "static", "targets": ["cpu"], "import_paths": ["."],
    "definitions": {"A": 1, "B": "tl.float16", "C": True, "D": None, "E": 1.5}, "debug": False, "debug_info": True,
    "tensor_maps": True, "exact_warps": False, "exact_stages": True, "launch_cooperative_grid": False, "launch_pdl": False, "prefix_map": ["a=b"],
    "tuning": [], "compress": "size", "stages": False, "optional": False, "recorded": {"x": 1},
    "kernels": [
        {"source": "none.py", "kernel": "k", "function": "f", "grid": "n", "dispatch": ["B"], "when": "n < 3",
         "python": ["contiguous(x)"],
         "tune": ["B=[1,2]", "B=4"], "autotune": True, "targets": ["cpu"], "num_warps": 4,
         "num_stages": 2, "num_ctas": 2, "maxnreg": 128, "config": 0, "compile_limit": 4294967295, "definitions": ["A=2"],
         "for": {"hip": {"num_warps": 8, "constants": {"B": 64, "KIND": "tl.float16"}}},
         "debug": True, "debug_info": False, "tensor_maps": False, "exact_warps": True, "exact_stages": False, "launch_cooperative_grid": False, "launch_pdl": False,
         "optional": True,
         "signatures": ["i32", {"signature": "i64", "when": "n > 1", "tune": "B=8", "autotune": False,
                                "num_warps": 8, "num_stages": 1, "num_ctas": 1, "maxnreg": 1, "config": 1,
                                "compile_limit": 1, "definitions": {"A": 3}, "optional": False, "recorded": {"x": [1]},
                                "for": {"cuda:90a, cuda:80": {"num_stages": 2, "num_ctas": 2, "maxnreg": 64, "waves_per_eu": 2, "config": 1}}}]}]}
OTHERS = [None, True, 0, 1025, 1.5, "", "x y", [], [1], {"x": []}]


def variations(value):
    """What becomes of a value if one thing in it is another."""
    for other in OTHERS:
        yield other
    if isinstance(value, dict):
        yield {**value, "unknown": 1}
        for key in value:
            yield {k: v for k, v in value.items() if k != key}
            for changed in variations(value[key]):
                yield {**value, key: changed}
    elif isinstance(value, list):
        for i, item in enumerate(value):
            for changed in variations(item):
                yield value[:i] + [changed] + value[i + 1:]


def keys_of(manifest):
    """Those that the tool lists when it finds another."""
    return set(re.findall(r'"(\S+?)"', run(manifest).split("expected one of")[1].split("\n")[0]))


failures = 0
count = 0


def check(is_right, words):
    global failures, count
    count += 1
    if not is_right:
        failures += 1
        if failures <= 5:
            print("FAILED:", words)


check(is_valid(GOOD, schema) and is_accepted(GOOD), "the good manifest is refused")
without = copy.deepcopy(GOOD)
kernel, variant = without["kernels"][0], without["kernels"][0]["signatures"][1]
for place, rules in ((without, schema), (kernel, schema["$defs"]["kernel"]), (variant, schema["$defs"]["variant"])):
    place["unknown"] = 1
    check(keys_of(without) == set(rules["properties"]), f"the keys are {sorted(keys_of(without))}")
    check(set(place) == set(rules["properties"]) | {"unknown"}, "the good manifest does not have every key")
    del place["unknown"]
for manifest in variations(GOOD):
    # Whether a name can be one in C, and what a definition's text means, is more than a schema can say.
    if is_valid(manifest, schema) != is_accepted(manifest):
        check(False, f"the schema says {is_valid(manifest, schema)}, the tool {run(manifest).splitlines()[0]}\n  {json.dumps(manifest)}")
    else:
        count += 1
print(f"{count} manifests, {failures} failures")
sys.exit(failures != 0)
