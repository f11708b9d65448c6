"""What workloads run operations of packages with: tensors on a device, and passes forward and backward."""
import torch
from bare import of


def maker(device, backward=False):
    """What makes tensors of normal numbers on the device."""

    def normal(*sizes, dtype=torch.bfloat16, scale=1.0):
        return (torch.randn(*sizes, device=device) * scale).to(dtype).requires_grad_(backward)

    normal.device = device
    return normal


def whole(normal, most, *sizes, dtype=torch.int32):
    """Whole numbers below MOST, where NORMAL makes tensors."""
    return torch.randint(0, most, sizes, device=normal.device, dtype=dtype)


def both_passes(operation):
    """Runs it, and backward with random gradients of its results."""
    results = operation()
    results = [x for x in (results if isinstance(results, (tuple, list)) else [results])
               if isinstance(x, torch.Tensor) and x.requires_grad]
    torch.autograd.backward(results, [torch.randn_like(x) for x in results])


def call(path, make, backward=True, tensors=maker, **options):
    """Runs PATH with what `make` makes, by a function that makes tensors: a list of arguments."""

    def run(device):
        given = make(tensors(device, backward))
        function = of(path)
        if isinstance(function, type) and issubclass(function, torch.autograd.Function):
            function = function.apply
        both_passes(lambda: function(*given, **options)) if backward else function(*given, **options)

    return run


def serve(path, make, **options):
    return call(path, make, backward=False, **options)
