"""Numbers of points that are near enough, found by way of a list."""
import triton
import triton.language as tl


@triton.jit
def near(points_ptr, order_ptr, bounds_ptr, out_ptr, radius):
    """Of each of 32 points, which of a cell's are within the radius."""
    lanes = tl.program_id(0) * 32 + tl.arange(0, 32)
    x, y = tl.load(points_ptr + lanes * 2), tl.load(points_ptr + lanes * 2 + 1)
    count = tl.zeros((32, ), tl.int32)
    begin = tl.load(bounds_ptr + lanes)
    length = tl.load(bounds_ptr + lanes + 1) - begin
    for i in range(tl.max(length)):
        inside = i < length
        number = tl.load(order_ptr + begin + i, mask=inside, other=0)
        dx = x - tl.load(points_ptr + number * 2, mask=inside, other=0.0)
        dy = y - tl.load(points_ptr + number * 2 + 1, mask=inside, other=0.0)
        hit = (dx * dx + dy * dy <= radius) & inside
        tl.store(out_ptr + lanes * 64 + count, number, mask=hit & (count < 64))
        count += hit.to(tl.int32)
