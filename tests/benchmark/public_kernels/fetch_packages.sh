#!/bin/bash
# Fetches the packages whose kernels are measured from PyPI, and unpacks of each what its Triton kernels need.
#
#     fetch_packages.sh DOWNLOADS PACKAGES
#
# DOWNLOADS keeps what pip brings, and is used as it is if it exists. Source distributions say what they are only to a
# Python that has PyTorch: PYTHON names one, and the folder DOWNLOADS/tools gets what else they ask for.
source "$(dirname "$0")/fetching.sh"

wheels=(
  fla-core==0.6.0 liger-kernel==0.8.5 flag-gems==5.0.2 einops==0.8.2 packaging==26.3
  accelerated-scan==0.3.1 conch-triton-kernels==1.3 cut-cross-entropy==25.1.1 mlstm-kernels==2.0.6 sageattention==1.0.6
  unsloth==2026.10.9 sglang==0.5.23
  adasplash==0.2.2 flash-mlm==1.2.3 flash-sinkhorn==0.4.1 flash-sparse-attn==2.0.6 flash-swiglu-mlp==0.4.3 flashnn==0.1.1
  freesolo-chalk==0.5.7 grouped-mm-bf16==0.1.7 jvp-flash-attention==0.14.0 late-interaction-kernels==0.4.5 lightllm==0.0.1
  lightning-attn==0.0.5 mase-triton==0.0.7 moe-ops==0.1.0 native-sparse-attention-pytorch==0.2.3 nvidia-modelopt==0.47.0
  spconv-triton==1.0.0 tokenspeed-triton-kernels==1.0.0.post20260510 tokenspeed-tritonblas==0.1.0.post20260510
  transformer-engine==2.20.2 triton-sigmoid==0.1.2 lmdeploy==0.18.0 dlblas==0.0.7 flashinfer-python==0.7.2.post1
  attn-gym==0.0.17 auto-round==0.16.1 fbgemm-gpu-genai==1.9.0 megatron-core==0.16.1
  axolotl==0.19.0 nemo-automodel==0.7.0 ring-attention-pytorch==0.5.20 verl==0.9.1
  protenix==2.0.0 simplicial-attention==0.1.6 trifast==0.1.13
  flashlib==0.4.0 torch-fps==0.6.0
  disentangled-flash==1.1.1 dsalt==1.0.0 ebt-flash-attention==0.2.0 eigentune==0.2.0 flashslice==0.3.0 gru-qat==0.5.0
  memeff==0.3.1 mingru-scans==0.2.0 siglip-kernel==0.1.2
  bm3d-triton==0.1.1 colortransfer-triton==0.1.0 fasterkernels==0.2.0 flash-colsum==0.1.0 flash-kmeans==0.3.1
  ibu-boost==0.1.1 lanczos-triton==0.1.0 localcorr==0.1.1 otf-llm==4.1.0 qattn==0.1.1 tridec==0.2.2
  triton-augment==0.3.0 triton-csprng==0.1.5 triton-qml==0.1.0 triton-submodular==0.1.0a1 turboadam==0.2.0
  turbopress==0.5.2 colsearch==0.1.7
)
# Said to be for a later Python, though what is taken of them runs on this one.
later=(miniworld-engine==2.3.12 parallax-kernel==0.1.1 turboquant-vllm==1.5.0 superlinear==0.1.0 hilbertsfc==0.5.1
       cuzipnn==0.1.0)
# Of these the wheel that has no machine code, or least of it, holds the same Python.
anywhere=(torchao==0.18.0) smallest=(bitsandbytes==0.50.2)
sources=(
  mamba-ssm==2.3.2.post1 stanford-stk==0.7.1 megablocks==0.10.0 flash-attn==2.8.3.post2 xformers==0.0.35
  deepspeed==0.19.8 gemlite==0.6.0.post2 colossalai==0.5.0 gptqmodel==7.7.0 vllm==0.33.0
)

# Of these only what is packed is wanted, without asking their builds what they are.
archives=(deepmd-kit==3.2.0 flash-dmattn==1.2.2 gpt-oss==0.0.9 minference==0.1.6.0)

if [ ! -d "$downloads" ]; then
  "$python" -m pip download -q --no-deps --python-version 3.11 --only-binary=:all: -d "$downloads" "${wheels[@]}"
  "$python" -m pip download -q --no-deps --python-version 3.11 --only-binary=:all: --platform any -d "$downloads" \
    "${anywhere[@]}"
  "$python" -m pip download -q --no-deps --python-version 3.12 --only-binary=:all: -d "$downloads" "${later[@]}"
  "$python" -m pip download -q --no-deps --python-version 3.11 --only-binary=:all: --platform macosx_14_0_arm64 \
    -d "$downloads" "${smallest[@]}"
  "$python" -m pip install -q --target "$downloads/tools" setuptools wheel packaging ninja psutil setuptools_scm \
    setuptools_rust jinja2
  # None of them builds anything for this.
  export MAMBA_SKIP_CUDA_BUILD=TRUE FLASH_ATTENTION_SKIP_CUDA_BUILD=TRUE DS_BUILD_OPS=0 TORCH_CUDA_ARCH_LIST=9.0
  export VLLM_TARGET_DEVICE=empty VLLM_SKIP_VERSION_SUFFIX=1
  PYTHONPATH=$downloads/tools "$python" -m pip download -q --no-deps --no-build-isolation --no-binary=:all: \
    -d "$downloads" "${sources[@]}"
  "$python" "$here/fetch_archives.py" "$downloads" "${archives[@]}"
  # This one asks for AMD's tools before it says what it is; by then pip has unpacked it.
  mkdir "$stage/pip"
  TMPDIR=$stage/pip PYTHONPATH=$downloads/tools "$python" -m pip download -q --no-clean --no-deps --no-build-isolation \
    --no-binary=:all: -d "$downloads" amd-aiter==0.1.7.post2.dev18 || true
  tar czf "$downloads/amd_aiter.tar.gz" -C "$stage"/pip/pip-download-*/amd-aiter_* --transform 's,^,amd_aiter/,' aiter
fi

for wheel in "$downloads"/*.whl; do "$python" -m zipfile -e "$wheel" "$stage"; done
for archive in "$downloads"/*.tar.gz; do tar xzf "$archive" -C "$stage" --strip-components 1 --exclude '*/setup.py'; done

# Of these everything that is Python, and what is read of tuning.
for name in fla liger_kernel flag_gems einops packaging accelerated_scan conch cut_cross_entropy mlstm_kernels sageattention \
  mamba_ssm stk megablocks gemlite adasplash flash_mlm flash_sinkhorn flash_sparse_attn flash_swiglu_mlp flashnn \
  grouped_mm_bf16 jvp_flash_attention late_interaction_kernels lightning_attn mase_triton moe_ops \
  native_sparse_attention_pytorch spconv_triton triton_kernels tritonblas triton_sigmoid attn_gym ring_attention_pytorch \
  minference flash_dmattn simplicial_attention trifast flashlib torch_fps disentangled_flash dsalt ebt_flash_attention \
  eigentune flashslice gru_qat memeff mingru parallax siglip_kernel turboquant_vllm bm3d_triton colortransfer_triton \
  fskernels flash_colsum flash_kmeans ibu_boost lanczos_triton localcorr otf_llm qattn tridec triton_augment triton_csprng \
  triton_qml triton_submodular turboadam turbopress; do
  (cd "$stage" && find "$name" -name '*.py' -o -name '*.yaml' -o -path 'gemlite/configs/*' -o -path 'mase_triton/VERSION' | tar cf - -T -) | tar xf - -C "$packages"
done
# Of large ones the folders with kernels, and what those import.
(cd "$stage" && find flash_attn/ops/triton flash_attn/utils/torch.py flash_attn/utils/library.py \
  xformers/ops/_triton xformers/ops/fmha/_triton xformers/triton \
  deepspeed/ops/triton_ops deepspeed/ops/fp_quantizer/fp8_gemm_triton.py deepspeed/runtime/chunked_cross_entropy.py \
  deepspeed/moe/ep_kernels.py deepspeed/ops/transformer/inference/triton unsloth/kernels unsloth/optimizers \
  sglang/kernels/ops bitsandbytes/backends chalk/ops lightllm/models lightllm/common/basemodel/triton_kernel \
  aiter/ops/triton aiter/utility colossalai/kernel/triton dlblas/kernels dlblas/utils flashinfer/triton \
  gptqmodel/nn_modules/triton_utils gptqmodel/quantization/awq/modules gptqmodel/quantization/paroquant/modules \
  gptqmodel/utils/env.py lmdeploy/pytorch/kernels \
  modelopt/torch/kernels torchao/kernel torchao/prototype transformer_engine/common/triton \
  transformer_engine/pytorch/triton vllm/kernels vllm/lora/ops vllm/model_executor vllm/triton_utils vllm/v1 vllm/envs.py \
  auto_round/algorithms/transforms auto_round_extension/triton fbgemm_gpu/experimental/gemm fbgemm_gpu/sll/triton \
  megatron/core/transformer/custom_layers \
  axolotl/kernels axolotl/integrations/kernels/libs axolotl/monkeypatch/attention/flash_attn_d512.py \
  axolotl/core/trainers/ebft/kernels.py nemo_automodel/components/loss/triton nemo_automodel/components/_peft/lora_kernel.py \
  nemo_automodel/components/models/kimi_k3 verl/utils/kernel \
  deepmd/kernels deepmd/pt/model/descriptor/sezm_nn/indexing.py deepmd/dpmodel/utils/safe_gradient.py \
  protenix/model/tri_attention gpt_oss/triton miniworld_engine colsearch/_internal/kernels \
  colsearch/_internal/inference/index_core/triton_qch_kernel.py superlinear/kernels hilbertsfc/_nbits.py \
  hilbertsfc/torch/_kernels/triton hilbertsfc/_data cuzipnn/_kernels.py \
  -name '*.py' -o -path 'hilbertsfc/_data/*_u16.npy' -o -path 'aiter/ops/triton/configs/*.json' -o -path 'miniworld_engine/autotune/configs/default/*.csv' | tar cf - -T -) | tar xf - -C "$packages"
# Of the largest what mentions Triton.
find "$packages"/{sglang,lightllm,vllm,auto_round,megatron} -name '*.py' -exec grep -L triton {} + | xargs rm -f
# Of vllm also what those use.
(cd "$stage" && tar cf - vllm/{scalar_type,utils/math_utils,v1/kv_cache_interface,v1/attention/backends/utils}.py \
  vllm/model_executor/{warmup/jit_warmup,determinism/batch_invariant_configs,layers/quantization/utils/quant_utils,layers/fused_moe/activation}.py \
  vllm/model_executor/layers/{fused_moe/utils.py,mamba/ops/*.py} vllm/triton_utils/*.py vllm/lora/ops/triton_ops/*.py) | tar xf - -C "$packages"
rm -rf "$packages"/fla/*/*/triton_ascend* "$packages"/liger_kernel/ops/backends/_ascend "$packages"/flash_sinkhorn/bench \
  "$packages"/flash_sparse_attn/{deprecated,ops/cute} "$packages"/dlblas/kernels/{ascend,camb} "$packages"/*/tests
du -sh "$packages"
