#!/bin/bash
# Fetches what the workloads of videos and of experts need beside what fetch_packages.sh fetches into the same folder, in
# whichever order.
#
#     fetch_more_packages.sh DOWNLOADS PACKAGES
#
# DOWNLOADS keeps what PyPI brings, and is used as it is if it exists. PYTHON names a Python that has pip.
source "$(dirname "$0")/fetching.sh"

wheels=(
  flash-hog==0.6.0 flash-maxsim==0.3.0 rotalabs-accel==1.1.1 special-attentions-pack==0.3.0 vsa==0.0.4
  eai-sparsify==1.3.3 flash-xlstm-exp==0.1.0 fms-acceleration-foak==0.7.4 grouped-nf4-gemm==0.51.0
  hip-attn==1.2.9 lightning-thunder==0.2.6 openfold3==0.5.0 rwkv-fla==0.7.202508221413 saga-activation==0.2.0 xtuner==0.2.0
)
latest=(fastaf==0.1.1 piper-kernels==0.7.8) # say that they are for a later Python
archives=(autoawq==0.2.9 leetdecoding==0.0.3 sparsevideo==0.1.0)

if [ ! -d "$downloads" ]; then
  "$python" -m pip download -q --no-deps --python-version 3.12 --only-binary=:all: -d "$downloads" "${wheels[@]}"
  "$python" -m pip download -q --no-deps --python-version 3.14 --only-binary=:all: -d "$downloads" "${latest[@]}"
  "$python" "$here/fetch_archives.py" "$downloads" "${archives[@]}"
fi

for wheel in "$downloads"/*.whl; do "$python" -m zipfile -e "$wheel" "$stage"; done
for archive in "$downloads"/*.tar.gz; do tar xzf "$archive" -C "$stage" --strip-components 1 --exclude '*/setup.py'; done
[ ! -d "$stage/src" ] || cp -r "$stage"/src/* "$stage"

# piper-kernels is written for a later Python: names for types are plain ones here, and types have no parameters.
find "$stage/piper_kernels" -name '*.py' -exec sed -i -E 's/^type (\w+) = /\1 = /' {} +
sed -i -E 's/\[Weight: QuantizedWeight\]//; s/([ (])Weight([,:]| *$)/\1"Weight"\2/' "$stage/piper_kernels/weights/sharding.py"
sed -i -E 's/^(class PreparationSharingRule|def _rewrite_rule)\[PreparedNodes\]/\1/; s/([:>] )(PreparedNodes|PreparationSharingRule\[PreparedNodes\])/\1"\2"/' \
  "$stage/piper_kernels/linear/_preparation_sharing.py"
sed -i -E 's/\[ArgumentT\]//; s/ArgumentT \| None/"ArgumentT | None"/' "$stage/piper_kernels/fusions/sparse_piper/_pattern.py"
# hip-attn has a decorator of its own around Triton's, which asks for Triton 3.4.
(cd "$stage/hip_attn/v1_2"
 sed -i 's/^@triton_jit(/@triton.autotune(/' landmark_sample.py compute_scores_landmark.py attention_extend_bsa.py scan_stage.py
 sed -i '/^def _sw_score_sample(/i @triton.jit' landmark_sample.py
 sed -i '/^def _compute_scores_landmark_cuda(/i @triton.jit' compute_scores_landmark.py
 sed -i '/^def block_sparse_attention_cuda(/i @triton.jit' attention_extend_bsa.py
 sed -i '/^def chunk_controllable_sampling_mask_cuda(/i @triton.jit' scan_stage.py)

(cd "$stage" && find awq fastaf flash_hog flash_maxsim fms_acceleration_foak fsp hip_attn leetDecoding piper_kernels \
  rotalabs_accel rwkvfla saga sparsevideo special_attentions vsa {dense_gemv,dense_i8,host_gather,kquant_ref,_triton_shim}.py \
  fp8_{kv,paged_attn}.py int4_{b32,pack_ref,smallm}.py mxfp4_{grouped,loader,pack_ref,pipelined,residency}.py \
  nf4_{grouped,pack_ref,route,smallm}.py \
  openfold3/core/kernels/triton openfold3/core/utils/tensor_utils.py \
  openfold3/core/model/layers/triangular_multiplicative_update.py sparsify/xformers.py \
  thunder/executors/triton_crossentropy_impl.py xtuner/model/modules/dispatch/triton_kernels xtuner/utils/device.py \
  -name '*.py' | tar cf - -T -) | tar xf - -C "$packages"
du -sh "$packages"
