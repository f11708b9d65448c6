"""Operations of models that fold proteins: attention over triangles and windows of atoms, products of triangles, means of
outer products, messages along edges, transitions and norms with conditions. Of miniworld-engine, which has a function for
each of its kernels that launches it once."""
import importlib
import inspect
import os
import warnings

import bare

bare.stub("jaxtyping", "pydantic", "cuequivariance_torch")
warnings.filterwarnings("ignore", module="miniworld_engine")
os.environ.setdefault("MINIWORLD_DRIVER_LENGTH", "256")
# Others of its kernels are written in CUDA, and would be taken in place of these.
importlib.import_module("miniworld_engine.settings").configure(force_portable_kernels=True, swa_dit_h100_native=False)
DRIVERS = "miniworld_engine.kernels.drivers"
FAMILIES = ("adaln", "augmented_attention", "bias_only_attention", "conditioned_transition", "gated_projection", "layernorm",
            "layernorm_linear", "mpnn_edge_dropout", "mpnn_edge_mlp", "mpnn_edge_tail", "mpnn_message", "mpnn_node_message",
            "mpnn_relative_position", "outer_product_mean", "pair_weighted_averaging", "rmsnorm", "rmsnorm_adamod", "rope",
            "swa_dit", "tm1", "tm2", "transition", "triangle_attention", "triangle_multiplication", "trimul_inproj")
# Those written in CUDA or for another type, and a baseline that needs another package.
OTHERS = ("cuda", "fp32", "tf32", "layer_norm_", "gemm_gate_saveact", "gate_recompute_flat")


def drivers(family):
    """{name: function}, of the kernels that are written in Triton."""
    module = importlib.import_module(f"{DRIVERS}.{family}")
    return {name: function for name, function in vars(module).items()
            if inspect.isfunction(function) and function.__module__ == module.__name__ and name[0] != "_" and
            not any(other in name for other in OTHERS)}


WORKLOADS = {f"miniworld {name}": (lambda device, run=run: run())
             for family in FAMILIES for name, run in drivers(family).items()}
