"""What is run on a real GPU by both Nereid and Triton: each case one kernel of tests/conformance/kernels (or of examples),
one specialization and one number of warps. Shared by build_cases.py and compare_with_triton.py."""
from dataclasses import dataclass


@dataclass
class Argument:
    name: str
    type: str | None  # as in a signature; None for a compile-time value
    value: object  # of a pointer: the number of elements

    @property
    def is_pointer(self):
        return self.type is not None and self.type.startswith("*")

    @property
    def element(self):
        return self.type.strip("*").split(":")[0]

    def specification(self):
        if self.type is not None:
            return self.type
        return f'"{self.value}"' if isinstance(self.value, str) else str(self.value)


@dataclass
class Case:
    file: str
    kernel: str
    grid: tuple
    warps: int
    arguments: list

    def signature(self):
        return ", ".join(argument.specification() for argument in self.arguments)


def array(element, length, aligned=True):
    return f"*{element}" + (":16" if aligned else ""), length


def integer(value):
    return "i32" + (":16" if value % 16 == 0 else ""), value


def number(value):
    return "fp32", value


def constant(value):
    return None, value


CASES = []


def case(file, kernel, grid, warps=4, **arguments):
    grid = grid if isinstance(grid, tuple) else (grid,)
    CASES.append(
        Case(file, kernel, grid + (1,) * (3 - len(grid)), warps,
             [Argument(name, type, value) for name, (type, value) in arguments.items()]))


def ceil_div(a, b):
    return -(-a // b)


for warps in (1, 2, 4, 8):
    for t in ("fp32", "fp16", "bf16"):
        for aligned, n in ((True, 4000), (False, 3999)):
            case("elementwise", "add_kernel", 4, warps, x_ptr=array(t, 4000), y_ptr=array(t, 4000),
                 out_ptr=array(t, 4000, aligned), n=integer(n), BLOCK=constant(1024))
for t in ("i8", "i16", "i32", "i64", "fp64"):
    case("elementwise", "add_kernel", 4, x_ptr=array(t, 4000), y_ptr=array(t, 4000), out_ptr=array(t, 4000),
         n=integer(4000), BLOCK=constant(1024))
for t in ("fp32", "fp16", "bf16"):
    case("elementwise", "swiglu_forward", 5, a_ptr=array(t, 1500), b_ptr=array(t, 1500), c_ptr=array(t, 1500),
         stride=integer(300), n_cols=constant(300), BLOCK_SIZE=constant(512))
case("elementwise", "gelu_tanh", 4, x_ptr=array("fp32", 1000), out_ptr=array("fp32", 1000), n=integer(1000),
     BLOCK=constant(256))
for use_global in (True, False):
    case("elementwise", "leaky_relu", 8, x_ptr=array("fp32", 1000), out_ptr=array("fp32", 1000), n=integer(1000),
         slope=number(0.3), USE_GLOBAL=constant(use_global), BLOCK=constant(128))
case("elementwise", "integer_ops", 8, x_ptr=array("i32", 1000), y_ptr=array("i32", 1000), div_ptr=array("i32", 1000),
     mod_ptr=array("i32", 1000), bits_ptr=array("i32", 1000), n=integer(1000), BLOCK=constant(128))
for bm, bn in ((16, 32), (64, 64), (32, 128)):
    for t in ("fp32", "fp16", "i8"):
        case("elementwise", "transpose_copy", (ceil_div(100, bm), ceil_div(70, bn)), x_ptr=array(t, 7000),
             out_ptr=array(t, 7000), M=integer(100), N=integer(70), BM=constant(bm), BN=constant(bn))
for source, target in (("fp32", "fp16"), ("fp32", "bf16"), ("fp16", "fp32"), ("bf16", "fp32"), ("fp32", "i32"),
                       ("i32", "fp32"), ("i64", "fp16"), ("fp32", "i8"), ("i8", "fp32"), ("fp64", "fp32"),
                       ("fp32", "fp64"), ("i32", "i64"), ("i64", "i32"), ("u8", "fp32"), ("bf16", "fp16"),
                       ("fp16", "bf16")):
    case("elementwise", "cast_kernel", 8, x_ptr=array(source, 1000), out_ptr=array(target, 1000), n=integer(1000),
         BLOCK=constant(128))

for mode in (0, 1, 2):
    case("control_flow", "helpers", 4, x_ptr=array("fp32", 200), out_ptr=array("fp32", 200), n=integer(200),
         MODE=constant(mode), BLOCK=constant(64))
case("control_flow", "unrolled_powers", 1, x_ptr=array("fp32", 100), out_ptr=array("fp32", 100), n=integer(100),
     K=constant(5), BLOCK=constant(128))
case("control_flow", "run_time_branch", 7, x_ptr=array("fp32", 100), out_ptr=array("fp32", 100), n=integer(100),
     threshold=integer(3), BLOCK=constant(16))
case("control_flow", "early_return", 4, x_ptr=array("i32", 4), out_ptr=array("i32", 4), n=integer(2))
case("control_flow", "nested_loops", 1, out_ptr=array("i32", 1), rows=integer(5), cols=integer(7))

for warps in (1, 4, 8, 16):
    for columns in (5, 1000, 1024):
        case("normalization", "softmax_row", 6, warps, out_ptr=array("fp32", 6 * columns),
             in_ptr=array("fp32", 6 * columns), in_stride=integer(columns), out_stride=integer(columns),
             n_cols=integer(columns), BLOCK=constant(1024))
    for rows in (4, 16):
        case("normalization", "softmax_tile", ceil_div(17, rows), warps, out_ptr=array("fp32", 17 * 60),
             in_ptr=array("fp32", 17 * 60), n_rows=integer(17), n_cols=integer(60), ROWS=constant(rows),
             BLOCK=constant(64))
case("normalization", "softmax_persistent", 4, out_ptr=array("fp16", 4500), in_ptr=array("fp16", 4500),
     stride=integer(500), n_rows=integer(9), n_cols=integer(500), BLOCK=constant(512), STAGES=constant(2))
case("normalization", "online_softmax", 3, out_ptr=array("fp32", 3000), in_ptr=array("fp32", 3000),
     n_cols=integer(1000), BLOCK=constant(128))
for t in ("fp32", "fp16"):
    case("normalization", "layer_norm_fused", 4, X=array(t, 4000), Y=array(t, 4000), W=array(t, 1000),
         B=array(t, 1000), Mean=array("fp32", 4), Rstd=array("fp32", 4), stride=integer(1000), N=integer(1000),
         eps=number(1e-5), BLOCK_SIZE=constant(256))
for weight in (True, False):
    for residual in (True, False):
        case("normalization", "rms_norm", 3, x_ptr=array("fp16", 900), w_ptr=array("fp16", 300),
             y_ptr=array("fp16", 900), residual_ptr=array("fp16", 900), n_cols=integer(300), eps=number(1e-6),
             HAS_WEIGHT=constant(weight), HAS_RESIDUAL=constant(residual), BLOCK=constant(512))

for warps in (1, 4, 8):
    for operation in ("sum", "max", "min"):
        for bm, bn in ((8, 64), (1, 1024), (64, 64), (128, 16)):
            n = min(bn, 60)
            case("reduction", "reduce_rows", ceil_div(50, bm), warps, x_ptr=array("fp32", 50 * n),
                 out_ptr=array("fp32", 50), M=integer(50), N=integer(n), OP=constant(operation), BM=constant(bm),
                 BN=constant(bn))
    for bm, bn in ((8, 64), (64, 8), (32, 32)):
        case("reduction", "sum_columns", ceil_div(60, bn), warps, x_ptr=array("fp32", 3000), out_ptr=array("fp32", 60),
             M=integer(50), N=integer(60), BM=constant(bm), BN=constant(bn))
    for source, target in (("fp32", "fp32"), ("i32", "i32"), ("i16", "i32"), ("fp16", "fp16"), ("i64", "i64"),
                           ("fp64", "fp64")):
        case("reduction", "sum_all", 4, warps, x_ptr=array(source, 1000), out_ptr=array(target, 4), n=integer(1000),
             BLOCK=constant(256))
    case("reduction", "custom_reduce", 5, warps, x_ptr=array("fp32", 1000), out_ptr=array("fp32", 5), N=integer(200),
         BLOCK=constant(256))
    case("reduction", "argmax_rows", 5, warps, x_ptr=array("fp32", 1000), out_ptr=array("i32", 5), N=integer(200),
         BLOCK=constant(256))
