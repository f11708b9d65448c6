"""A product in full f32, of columns that a list names."""
import triton
import triton.language as tl


@triton.jit
def listed(x_ptr, list_ptr, y_ptr, out_ptr, n, width):
    rows, columns, inner = tl.arange(0, 32), tl.arange(0, 128), tl.arange(0, 64)
    first = tl.program_id(0) * 32
    acc = tl.zeros((32, 128), tl.float32)
    for i in range(0, n, 64):
        inside = i + inner < n
        numbers = tl.load(list_ptr + i + inner, mask=inside, other=0)
        x = tl.load(x_ptr + numbers[None, :] * width + (first + rows)[:, None], mask=inside[None, :], other=0.0)
        y = tl.load(y_ptr + (i + inner)[:, None] * 128 + columns[None, :], mask=inside[:, None], other=0.0)
        acc += tl.dot(x, y, input_precision="ieee")
    tl.store(out_ptr + (first + rows)[:, None] * 128 + columns[None, :], acc)
