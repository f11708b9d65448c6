"""The functions of libkern.so by the TVM FFI, with what there is of PyTorch and NumPy.

  check_tvm_ffi.py FOLDER [cuda]        that of the library; with code for the GPU that there is
"""
import gc
import json
import os
import sys
import threading

import tvm_ffi

from checks import check, finish, numpy, refuses, torch, with_what_there_is

kern = tvm_ffi.load_module(os.path.join(os.path.abspath(sys.argv[1]), "libkern.so"))


def check_module():
    check(kern.implements_function("rms_norm") and not kern.implements_function("nonsense"), "functions")
    doc = kern.get_function_doc("rms_norm")
    check(doc.startswith("rms_norm(x, w, eps=1e-6, out=None, grid=None)\n") and "Returns out." in doc, "doc: " + doc)
    from tvm_ffi.core import TypeSchema

    schema = TypeSchema.from_json_str(kern.get_function_metadata("add")["type_schema"])
    check(str(schema) == "Callable[[Tensor, Tensor | None, Tensor, int, Any | None], None]", "types: " + str(schema))


def check_questions():
    """As by the Python package, which may be loaded as well."""
    x, w, out = numpy.ones((2, 4), numpy.float32), numpy.ones(4, numpy.float32), numpy.zeros((2, 4), numpy.float32)
    variants = json.loads(kern.rms_norm_variants())
    check([(row["function"], row["number"]) for row in variants] == [("rms_norm_fp32", 0), ("rms_norm_fp16", 0)] or
          [(row["function"], row["number"]) for row in variants] == [("rms_norm_fp16", 0), ("rms_norm_fp32", 0)], "numbers")
    check(all(row["targets"] == "cpu:x86-64-v3" and row["condition"] is None for row in json.loads(kern.parts_variants())), "variants")
    check("variant 0 runs, '" in kern.rms_norm_explain(x, w), "explain")
    check("no variant" in kern.add_explain(x.ravel(), None, out.ravel(), 3), "explain what there is not")
    check(not out.any(), "explaining runs nothing")
    sys.path.insert(0, os.path.abspath(sys.argv[1]))
    import kern as package

    check(package.rms_norm.variants() == variants, "the package's variants")
    a, sums = numpy.arange(100, dtype=numpy.float32), numpy.zeros(100, numpy.float32)
    for row in json.loads(kern.add_variants()):
        scale = 2 if "2" in row["signature"].split(", ")[4] else 1
        if "None" in row["signature"]:
            kern.add_force(row["number"], a, None, sums, scale)
            check((sums == scale * a).all(), "force")
        check(package.add.explain(a, None, sums, SCALE=1) == kern.add_explain(a, None, sums, 1), "the package's words")
    forced = numpy.from_dlpack(kern.rms_norm_force(0, x, w))
    check(numpy.allclose(forced, 1, atol=1e-3), "what is forced makes its outputs, too")
    refuses(TypeError, "rms_norm: the variant's number is missing", kern.rms_norm_force)
    refuses(TypeError, "rms_norm: the variant's number has to be an integer, not a tensor", kern.rms_norm_force, x, w)
    refuses(ValueError, "rms_norm: there is no variant -1", kern.rms_norm_force, -1, x, w)
    refuses(ValueError, "variant 9", kern.rms_norm_force, 9, x, w)
    refuses(TypeError, "has to be a tensor", kern.rms_norm_explain, 1, w)
    refuses(TypeError, "takes no arguments", kern.rms_norm_variants, x)


def check_numpy():
    x = numpy.arange(12, dtype=numpy.float32).reshape(3, 4)
    w = numpy.linspace(0.5, 1, 4, dtype=numpy.float32)
    expected = x / numpy.sqrt((x * x).mean(1, keepdims=True) + 1e-6) * w
    out = kern.rms_norm(x, w, 1e-6)
    check(numpy.allclose(numpy.from_dlpack(out), expected, atol=1e-5), "rms_norm of NumPy")
    half = numpy.from_dlpack(kern.rms_norm(x.astype(numpy.float16), w.astype(numpy.float16)))
    check(half.dtype == numpy.float16 and numpy.allclose(half, expected, atol=1e-2), "rms_norm of NumPy, half")
    wide = numpy.zeros((3, 8), numpy.float32)
    wide[:, :4] = x
    kern.rms_norm(wide[:, :4], w, None, wide[:, 4:])
    check(numpy.allclose(wide[:, 4:], expected, atol=1e-5), "views of NumPy")
    refuses(TypeError, "rms_norm: 'x' has to be a tensor of float16 or float32, not of float64", kern.rms_norm,
            x.astype(float), w)
    check(numpy.from_dlpack(kern.rms_norm(x[:0], w)).shape == (0, 4), "an empty array")
    for wrong in ((2, 4), (12,), (3, 5)):
        refuses(ValueError, "rms_norm: 'out' has to have the sizes (3, 4), as out=empty_like(x) has, not " + str(wrong), kern.rms_norm, x,
                w, None, numpy.zeros(wrong, numpy.float32))
    long = numpy.arange(100, dtype=numpy.float32)
    refuses(ValueError, "parts: 'sums' has to have the sizes (2,), as sums=zeros(cdiv(n, 64), like=x) has, not (1,)", kern.parts, long,
            None, numpy.zeros(1, numpy.float32))
    refuses(ValueError, "copy: 'out' has to be given, as 'like' is None", kern.copy, long, None)
    for _ in range(3):  # Memory that was used before has to be set to 0.
        sums, doubled = map(numpy.from_dlpack, kern.parts(long))
        check(sums.tolist() == [sum(range(64)), sum(range(64, 100))] and (doubled == 2 * long).all(), "two outputs")
        sums[:] = doubled[:] = 7
    mine = numpy.ones(100, numpy.float32)
    sums, doubled = kern.parts(long, mine)
    check((mine == 2 * long).all() and numpy.shares_memory(numpy.from_dlpack(doubled), mine), "one of two is given")


def check_torch():
    x, w = torch.randn(5, 96), torch.rand(96)
    expected = x * torch.rsqrt((x * x).mean(1, keepdim=True) + 1e-6) * w
    out = kern.rms_norm(x, w, 1e-6)
    check(type(out) is torch.Tensor and torch.allclose(out, expected, atol=1e-5), "rms_norm of PyTorch")
    check(torch.allclose(kern.rms_norm_fp32(x, w), expected, atol=1e-5), "a member by its own name")
    half = kern.rms_norm(x.half(), w.half())
    check(half.dtype is torch.float16 and torch.allclose(half.float(), expected, atol=2e-2), "half")
    into = torch.full((5, 200), -1.0)
    sums, doubled = kern.parts(torch.arange(100.0))
    check(type(sums) is torch.Tensor and sums.tolist() == [sum(range(64)), sum(range(64, 100))], "two outputs")
    back = kern.rms_norm(x, w, None, into[:, 3:99])
    check(torch.allclose(into[:, 3:99], expected, atol=1e-5), "a view to write to")
    check(back.data_ptr() == into[:, 3:].data_ptr() and back.stride() == (200, 1), "the output that was given is returned")
    a, sums = torch.arange(100.0), torch.full((100,), -1.0)
    kern.add(a, None, sums, 2)
    check(torch.equal(sums, 2 * a), "add without y")
    sums.fill_(-1)
    kern.add(a, a, sums, 1, 1)
    check(torch.equal(sums[:64], 2 * a[:64]) and bool((sums[64:] == -1).all()), "a grid of one's own")
    check(kern.nothing(torch.empty(0), torch.empty(0, 3), w, 1) is None, "tensors without an address")
    for grid in ((2,), [2, 1], (2, 1, 1)):
        sums.fill_(-1)
        kern.add(a, a, sums, 1, grid)
        check(torch.equal(sums, 2 * a), "a grid as a list: {}".format(grid))
    refuses(ValueError, "has to be given, as the axes of 'x' lie in another order", kern.rms_norm,
            torch.randn(96, 96).t(), w)
    refuses(ValueError, "no variant accepts this call", kern.add, a, a, sums, 3)
    refuses(ValueError, "'SCALE' is beyond what int32 can hold", kern.add, a, a, sums, 1 << 80)

    # Tensors live as long as somebody has them, and no longer.
    gc.collect()
    for _ in range(3):
        made = kern.rms_norm(torch.randn(1000, 96), w)
        view = made[1:]
        del made
        check(view.isfinite().all(), "an output outlives the call")

    wrong = []

    def work(seed):
        torch.manual_seed(seed)
        mine = torch.randn(7, 96)
        wanted = mine * torch.rsqrt((mine * mine).mean(1, keepdim=True) + 1e-6) * w
        for _ in range(50):
            if not torch.allclose(kern.rms_norm(mine, w), wanted, atol=1e-5):
                wrong.append(seed)
            try:
                kern.rms_norm(mine, mine)
                wrong.append(seed)
            except ValueError:
                pass

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check(not wrong, "four threads")


def check_cuda():
    """Streams, and outputs that the GPU's framework makes."""
    x, w = torch.randn(4096, 96, device="cuda"), torch.rand(96, device="cuda")

    def wanted(x):
        return x * torch.rsqrt((x * x).mean(1, keepdim=True) + 1e-6) * w

    check(torch.allclose(kern.rms_norm(x, w), wanted(x), atol=1e-5), "the default stream")
    big = torch.randn(8192, 8192, device="cuda")
    side = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        # Work that the call has to come behind, and would overtake on another stream.
        for _ in range(20):
            big = big @ big * 1e-4
        late = x + big[0, 0] * 0 + 1
        out = kern.rms_norm(late, w)
    side.synchronize()
    check(torch.allclose(out, wanted(x + 1), atol=1e-5, equal_nan=True), "a stream of one's own")
    graph, fixed, into = torch.cuda.CUDAGraph(), x.clone(), torch.zeros_like(x)
    kern.rms_norm(fixed, w, None, into)
    with torch.cuda.graph(graph):
        kern.rms_norm(fixed, w, None, into)
    fixed.mul_(-2)
    into.zero_()
    graph.replay()
    torch.cuda.synchronize()
    check(torch.allclose(into, wanted(fixed), atol=1e-5), "a graph")
    refuses(ValueError, "'w' is on another device than 'x'", kern.rms_norm, x, w.cpu())
    started = []

    def work():
        started.append(torch.allclose(kern.rms_norm(x, w), wanted(x), atol=1e-5))

    thread = threading.Thread(target=work)  # No context is current there yet.
    thread.start()
    thread.join()
    check(started == [True], "another thread")
    if torch.cuda.device_count() > 1:
        there = kern.rms_norm(x.to("cuda:1"), w.to("cuda:1"))
        check(there.device.index == 1 and torch.allclose(there.to("cuda:0"), wanted(x), atol=1e-5), "another device")
        check(torch.cuda.current_device() == 0, "the current device stays")


check_module()
with_what_there_is(lambda: (check_numpy(), check_questions()), check_torch)
if sys.argv[2:] == ["cuda"]:
    check_cuda()
finish()
