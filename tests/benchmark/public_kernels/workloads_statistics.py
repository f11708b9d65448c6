"""Statistics and data mining: clusters, nearest neighbours, trees, embeddings in the plane, regressions, products of f32 and
f64 numbers by parts, sampling of points. Of flashlib and torch-fps."""
import bare
import torch
from workloads_serving import serve, whole

bare.stub("cutlass", "cuda.bindings")
FP16, BF16, FP32, FP64 = torch.float16, torch.bfloat16, torch.float32, torch.float64
PRIMITIVES, LINALG, KERNELS = "flashlib.primitives", "flashlib.linalg", "flashlib.kernels"
GEMM, FOREST, UMAP = f"{LINALG}.gemm.triton", f"{PRIMITIVES}.random_forest.triton.rf_kernels", f"{PRIMITIVES}.umap.triton"
ROWS, FEATURES, LISTS, PROBES, QUERIES = 65536, 64, 1024, 8, 1024


def f32(n, *sizes):
    return n(*sizes, dtype=FP32)


def long(n, most, *sizes):
    return whole(n, most, *sizes, dtype=torch.int64)


def offsets(n, rows=ROWS, lists=LISTS):
    return torch.arange(0, rows + 1, rows // lists, device=n.device)


def lists(n):
    """Queries, the rows that they are compared with, by list, which lists each query looks at."""
    return [f32(n, QUERIES, 128), f32(n, ROWS, 128), whole(n, LISTS, QUERIES, PROBES), offsets(n), 10]


def codes(n, parts=16):
    return whole(n, 256, ROWS, parts, dtype=torch.uint8)


def quantized(n, parts=16, size=128):
    return [f32(n, QUERIES, size), f32(n, LISTS, size), f32(n, parts, 256, size // parts), codes(n, parts),
            whole(n, LISTS, QUERIES, PROBES), offsets(n), 10]


def table(n, parts=16):
    return [codes(n, parts), whole(n, LISTS, QUERIES, PROBES), offsets(n), f32(n, QUERIES, PROBES, parts, 256), 10]


def parts(n, count, size=2048):
    """A matrix as the sum of narrower ones."""
    return [n(count, size, size, dtype=FP16), n(count, size, size, dtype=FP16)]


def nodes(n, features=32, bins=64):
    return [whole(n, bins, ROWS, features, dtype=torch.uint8), long(n, 4, ROWS), long(n, 16, ROWS)]


def nodes_of_some(n, features=32, chosen=8):
    return [*nodes(n, features), long(n, features, 16, chosen), 16, 64, 4]


def edges(n, points=16384, count=262144):
    return [f32(n, points, 2), long(n, points, count), long(n, points, count)]


def layout(n):
    points, head, tail = edges(n)
    state = [torch.rand(len(head), device=n.device) * 4 + 1 for _ in range(4)]
    return [points, head, tail, *state, 3, 0.5]


def graph(n, points=16384, count=262144):
    return [whole(n, points, count), whole(n, points, count), torch.rand(count, device=n.device), points]


def distances(n, points=4096):
    half = torch.rand(points, points, device=n.device)
    return [half + half.T]


def traversal(n):
    return [n(QUERIES, 128, dtype=FP16), n(ROWS, 128, dtype=FP16), whole(n, ROWS, ROWS, 32), whole(n, ROWS, QUERIES, 32), 10]


def neighbours(n, rows=16384, count=16):
    return [long(n, rows, rows, count), torch.rand(rows, count, device=n.device).sort().values]


def slots(n):
    """A cache of 4096 slots, asked for 512 of 65536 entries."""
    ids, count, k = 65536, 4096, 512
    whole32 = lambda *sizes: torch.zeros(*sizes, device=n.device, dtype=torch.int32)
    held = torch.randperm(ids, device=n.device)[:count].to(torch.int32)
    slot_of = torch.full((ids, ), -1, device=n.device, dtype=torch.int32)
    slot_of[held.long()] = torch.arange(count, device=n.device, dtype=torch.int32)
    return [torch.randperm(ids, device=n.device)[:k].to(torch.int32), slot_of, held, whole32(count), whole32(1), whole32(k),
            whole32(k), whole32(k), whole32(1)]


def clouds(n, clouds=32, points=4096):
    return [torch.rand(clouds, points, 3, device=n.device), torch.ones(clouds, points, device=n.device, dtype=torch.bool),
            torch.zeros(clouds, device=n.device, dtype=torch.int64), 512]


def f32s(*shape, count=1):
    return lambda n: [f32(n, *shape) for _ in range(count)]


def clusters(n, size=128, count=256, dtype=BF16):
    return [n(4, 16384, size, dtype=dtype), n(4, count, size, dtype=dtype)]


def members(n):
    points, centres = clusters(n)
    return [points, whole(n, centres.shape[1], 4, 16384), centres]


KMEANS, NEAREST, PQ = f"{PRIMITIVES}.kmeans.triton", f"{PRIMITIVES}.knn.triton.dispatch", f"{PRIMITIVES}.ivf_pq.triton"
WORKLOADS = {
    "affinity": serve(f"{KERNELS}.distance.triton.affinity.triton_affinity_with_degree", lambda n: [f32(n, 4096, 64), 0.1]),
    "distances of neighbours": serve(f"{KERNELS}.distance.triton.knn_gather_l2sq.triton_knn_gather_sqdist", lambda n: [
        n(4, 8192, 64), n(4, 8192, 64), long(n, 8192, 4, 8192, 16)]),
    "reachability": serve(f"{KERNELS}.distance.triton.mrd.triton_pairwise_mrd", lambda n: [
        f32(n, 4096, 64), torch.rand(4096, device=n.device)]),
    "reachability of edges": serve(f"{KERNELS}.distance.triton.mrd.triton_fused_mrd_edges", lambda n: [
        torch.rand(16384, 16, device=n.device), whole(n, 16384, 16384, 16), torch.rand(16384, device=n.device)]),
    "distances": serve(f"{KERNELS}.distance.triton.pairwise.pairwise_l2", f32s(4096, 64)),
    "distances, narrow": serve(f"{KERNELS}.distance.triton.pairwise.pairwise_l2sq", lambda n: [n(4096, 64)]),
    "radial": serve(f"{KERNELS}.distance.triton.pairwise.triton_rbf_kernel", lambda n: [f32(n, 4096, 64), 0.1]),
    "spanning tree": serve(f"{KERNELS}.flash_mst.triton.flash_mst.flash_mst", distances),
    "components": serve(f"{KERNELS}.flash_mst.triton.flash_mst.flash_cc_from_edges", lambda n: graph(n)[:2] + [16384]),
    "norm": serve(f"{KERNELS}.norm.triton.norm.flash_rmsnorm", lambda n: [n(8192, 4096), n(4096)]),
    "norm of layers": serve(f"{KERNELS}.norm.triton.norm.flash_layernorm", lambda n: [n(8192, 4096), n(4096), n(4096)]),
    "slots": serve(f"{KERNELS}.slot_cache.triton.lru_ensure.lru_ensure", slots),
    "tall products": serve(f"{LINALG}.ab_gemm.triton.ab_gemm.ab_gemm", lambda n: [f32(n, ROWS, 64), f32(n, ROWS, 128)]),
    "covariance": serve(f"{LINALG}.cov_gemm.triton.cov_gemm.cov_gemm", f32s(ROWS, 128)),
    "covariance, narrow": serve(f"{LINALG}.cov_gemm.triton.cov_gemm.full_gemm", lambda n: [n(ROWS, 128)]),
    "gram": serve(f"{LINALG}.gram_gemm.triton.gram_gemm.gram_gemm", f32s(1024, 4096)),
    "rotations of eigenvectors": serve(f"{LINALG}.eigh.triton.jacobi.triton_jacobi_eigh", f32s(32, 32)),
    "remainders": serve(f"{GEMM}.crt_reconstruct.crt_reconstruct", lambda n: [
        whole(n, 200, 8, 1024, 1024), n(1024, dtype=FP64), n(1024, dtype=FP64), whole(n, 200, 8) + 2, whole(n, 200, 8) + 1,
        1e18, 1e2]),
    "products of halves": serve(f"{GEMM}.fp16x3_kahan.matmul_fp16x3_kahan", f32s(2048, 2048, count=2)),
    "products by parts": serve(f"{GEMM}.fused_kernels.fused_ozaki_matmul", f32s(2048, 2048, count=2)),
    "products by a part": serve(f"{GEMM}.fused_kernels.fused_ozaki_matmul", f32s(2048, 2048, count=2), mode="bf16"),
    "products of tf32 by parts": serve(f"{GEMM}.fused_kernels.fused_tf32_matmul", f32s(2048, 2048, count=2)),
    "sums": serve(f"{GEMM}.fused_kernels.fused_axpby", lambda n: [f32(n, 4096, 4096), f32(n, 4096, 4096), 0.5, 2.0]),
    "symmetric": serve(f"{GEMM}.fused_kernels.fused_sym", f32s(4096, 4096)),
    "symmetric, shifted": serve(f"{GEMM}.fused_kernels.fused_shift_sym", lambda n: [f32(n, 4096, 4096), 0.5]),
    "polynomial": serve(f"{GEMM}.fused_kernels.fused_kl_poly", f32s(4096, 4096, count=2)),
    "diagonal": serve(f"{GEMM}.fused_kernels.fused_diag_shift", lambda n: [f32(n, 4096, 4096), 0.5]),
    "products of bytes": serve(f"{GEMM}.ozaki1_dispatch.matmul_ozaki_int8", lambda n: [
        n(1024, 1024, dtype=FP64), n(1024, 1024, dtype=FP64)]),
    "remainders of f64": serve(f"{GEMM}.ozaki2_split.split_fp_to_int8_moduli", lambda n: [n(1024, 1024, dtype=FP64), 8, 20]),
    "pairs of bf16": serve(f"{GEMM}.split.split_fp32_bf16_pair", f32s(4096, 4096)),
    "pairs of tf32": serve(f"{GEMM}.split.split_fp64_tf32_pair", lambda n: [n(2048, 2048, dtype=FP64)]),
    "pairs of fp16": serve(f"{GEMM}.split_fp16.split_fp32_fp16_pair", f32s(4096, 4096)),
    "pairs of fp16 of f64": serve(f"{GEMM}.split_fp16.split_fp64_fp16_pair", lambda n: [n(2048, 2048, dtype=FP64)]),
    "streamed products": serve(f"{GEMM}.tall_skinny.triton_streaming_matmul", lambda n: [
        f32(n, ROWS, 128), f32(n, 128, 64)]),
    "products of bf16": serve(f"{GEMM}.triton_mm.bf16_mm_fp32", lambda n: [n(4096, 2048), n(2048, 4096)]),
    "graph": serve(f"{PRIMITIVES}.cagra.triton.search.cagra_traverse", traversal),
    "density": serve(f"{PRIMITIVES}.dbscan.triton.dbscan._flash_dbscan_grid", lambda n: [
        torch.rand(16384, 2, device=n.device), 0.02, 5, 32]),
    "sparse spanning tree": serve(f"{PRIMITIVES}.hdbscan.triton.sparse_mst.sparse_boruvka_mst", graph),
    "lists": serve(f"{PRIMITIVES}.ivf_flat.triton.fine_scan.ivf_fine_scan", lists, max_list_len=64),
    "lists by products": serve(f"{PRIMITIVES}.ivf_flat.triton.fine_scan_gemm.ivf_fine_scan_gemm", lists),
    "codes": serve(f"{PQ}.fine_scan.ivf_pq_fine_scan", table, by_residual=True, max_list_len=64),
    "codes by batch": serve(f"{PQ}.fine_scan_batch.ivf_pq_fine_scan_batch", table, by_residual=True,
                            max_list_len=64),
    "codes by products": serve(f"{PQ}.fine_scan_gemm.ivf_pq_fine_scan_gemm", quantized, by_residual=True),
    "codes by products, decoded": serve(f"{PQ}.fine_scan_ws.ivf_pq_fine_scan_ws", quantized, by_residual=True,
                                       max_list_len=64),
    "table of codes": serve(f"{PQ}.lut.pq_build_lut", lambda n: [
        f32(n, QUERIES, 128), f32(n, LISTS, 128), whole(n, LISTS, QUERIES, PROBES), f32(n, 16, 256, 8)], by_residual=True),
    "clusters": serve(f"{KMEANS}.assign.euclid_assign_triton", clusters),
    "clusters of f32": serve(f"{KMEANS}.assign.euclid_assign_triton", lambda n: clusters(n, dtype=FP32)),
    "clusters of long rows": serve(f"{KMEANS}.assign.euclid_assign_triton", lambda n: clusters(n, 1024)),
    "clusters by angle": serve(f"{KMEANS}.assign.cosine_assign_triton", clusters),
    "centres": serve(f"{KMEANS}.update.triton_centroid_update_euclid", members),
    "centres by angle": serve(f"{KMEANS}.update.triton_centroid_update_cosine", members),
    "centres of sorted": serve(f"{KMEANS}.update.triton_centroid_update_sorted_euclid", members),
    "centres of sorted by angle": serve(f"{KMEANS}.update.triton_centroid_update_sorted_cosine", members),
    "centres, finished": serve(f"{KMEANS}.update.triton_centroid_finalize", lambda n: [
        f32(n, 4, 256, 128), torch.rand(4, 256, device=n.device) * 9, f32(n, 4, 256, 128)]),
    "nearest": serve(f"{NEAREST}.flash_knn_triton", lambda n: [n(1, 8192, 128), n(1, 8192, 128), 10]),
    "nearest of f32": serve(f"{NEAREST}.flash_knn_triton", lambda n: [f32(n, 1, 8192, 64), f32(n, 1, 8192, 64), 10]),
    "nearest to few": serve(f"{NEAREST}.flash_knn_triton", lambda n: [n(1, 16, 128), n(1, ROWS, 128), 64]),
    "squares of rows": serve(f"{PRIMITIVES}.knn.triton._row_norm._fast_row_sq", lambda n: [n(1, ROWS, 128)]),
    "regression": serve(f"{PRIMITIVES}.linear_regression.triton.fused_kernels.cast_and_xty", lambda n: [
        f32(n, ROWS, FEATURES), f32(n, ROWS)]),
    "regression, refined": serve(f"{PRIMITIVES}.linear_regression.triton.fused_kernels.fused_refine_from_bf16", lambda n: [
        n(ROWS, FEATURES), f32(n, ROWS), f32(n, FEATURES)]),
    "logistic": serve(f"{PRIMITIVES}.logistic_regression.triton.logistic_regression._fused_logits_to_loss_resid", lambda n: [
        f32(n, ROWS), torch.rand(ROWS, device=n.device).round()]),
    "logistic gradients": serve(f"{PRIMITIVES}.logistic_regression.triton.logistic_regression.triton_logreg_fwd_bwd",
                                lambda n: [f32(n, ROWS, FEATURES), f32(n, FEATURES), f32(n, 1),
                                           torch.rand(ROWS, device=n.device).round()]),
    "counts by class": serve(f"{PRIMITIVES}.multinomial_nb.triton.nb_core.nb_count_features", lambda n: [
        torch.rand(ROWS, 128, device=n.device), long(n, 8, ROWS), 8]),
    "counts by class, sorted": serve(f"{PRIMITIVES}.multinomial_nb.triton.nb_core.nb_count_features", lambda n: [
        torch.rand(ROWS, 128, device=n.device), long(n, 8, ROWS), 8], force_path="sorted"),
    "components of variance": serve(f"{PRIMITIVES}.pca.triton.fused_kernels.triton_cov_gemm_fused", f32s(ROWS, 128)),
    "components of few": serve(f"{PRIMITIVES}.pca.triton.fused_kernels.triton_gram_gemm_fused", f32s(1024, 4096)),
    "singular vectors": serve(f"{PRIMITIVES}.truncated_svd.triton.fused_kernels.fused_vproj_norm_to_vh", lambda n: [
        f32(n, 4096, 256), f32(n, 4096, 16), torch.rand(16, device=n.device) + 1]),
    "histograms": serve(f"{PRIMITIVES}.random_forest.triton.histogram.triton_rf_histogram", lambda n: [
        whole(n, 256, ROWS, 32, dtype=torch.uint8), f32(n, ROWS), 32]),
    "splits": serve(f"{FOREST}._find_best_splits_triton", lambda n: [torch.rand(64, 32, 64, 4, device=n.device), 4]),
    "histograms of nodes": serve(f"{FOREST}._build_node_histograms", lambda n: [*nodes(n), 16, 64, 4]),
    "histograms of some": serve(f"{FOREST}._build_node_histograms_subfeat", nodes_of_some),
    "histograms of some, sorted": serve(f"{FOREST}._build_node_histograms_subfeat_hybrid", nodes_of_some),
    "histograms of ranges": serve(f"{FOREST}._build_node_histograms_ranged", lambda n: [
        *nodes(n)[:2], torch.randperm(ROWS, device=n.device), offsets(n, lists=16).to(torch.int32), 16, 64, 4]),
    "scaling": serve(f"{PRIMITIVES}.standard_scaler.triton.scaler.flash_standard_scaler_fit", f32s(ROWS, 128)),
    "scaling by two passes": serve(f"{PRIMITIVES}.standard_scaler.triton.scaler.flash_standard_scaler_fit", f32s(ROWS, 128),
                                   fused=False),
    "scaled": serve(f"{PRIMITIVES}.standard_scaler.triton.scaler.flash_standard_scaler_transform", lambda n: [
        f32(n, ROWS, 128), f32(n, 128), f32(n, 128)]),
    "embedding": serve(f"{PRIMITIVES}.tsne.triton.grad.triton_tsne_qsum", f32s(8192, 2)),
    "gradients of embedding": serve(f"{PRIMITIVES}.tsne.triton.grad.triton_tsne_grad", lambda n: [
        f32(n, 8192, 2), torch.rand(8192, 8192, device=n.device), torch.ones(1, device=n.device)]),
    "likelihoods of embedding": serve(f"{PRIMITIVES}.tsne.triton.train._compute_p_matrix", f32s(2048, 64)),
    "fuzzy neighbours": serve(f"{UMAP}.fuzzy_simplicial_set.triton_umap_fuzzy_simplicial_set", neighbours),
    "smooth neighbours": serve(f"{UMAP}.smooth_knn_dist.triton_smooth_knn_dist", lambda n: neighbours(n)[1:]),
    "layout": serve(f"{UMAP}.sgd_step.triton_flash_umap_sgd_step", layout),
    "farthest points": serve("torch_fps._triton.fps", clouds),
    "farthest points and neighbours": serve("torch_fps._triton.fps_knn", lambda n: [*clouds(n), 16]),
    "farthest points, nearest": serve("torch_fps._triton.fps_assign", clouds),
    "farthest of many": serve("torch_fps._triton.fps", lambda n: clouds(n, 4, 65536)),
}
