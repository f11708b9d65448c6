#!/bin/bash
# Fetches the packages of the workloads of pictures, atoms, optimizers and decoding, on which nothing had been tuned when
# they were first measured. They lie in a folder of their own: some bring other versions of what the others have.
#
#     fetch_unseen_packages.sh DOWNLOADS PACKAGES
#
# DOWNLOADS keeps what PyPI brings, and is used as it is if it exists. PYTHON names the Python that fetches it.
source "$(dirname "$0")/fetching.sh"

wanted=(
  aqlm==1.1.7 auto-gptq==0.7.1 b10-kernel==0.1.6 bf16-fused-adam==0.1 cache-dit==1.5.3 comfy-kitchen==0.2.40
  compressed-tensors==0.20.1 crossentropy-triton==0.1.2 cuequivariance-ops-torch-cu12==0.13.0 diffsynth==2.1.12
  einops==0.8.2 esm==3.4.3 exllamav3==1.6.5 fairchem-core==2.24.0 fast-attnres==2.1.0 fastvideo-kernel==0.3.5
  ffpa-attn==0.2.4 flash-attention-triton==0.1.1 flash-attention-x==0.0.1 flash-attn-res==0.1.12
  flash-colreduce==0.2.2 flash-qla==0.1.3 flash-sd-kde==0.1.0 flash-semicrf==0.2.0 flashattention2-custom-mask==0.1.1
  flashoptim==0.1.4 flashrnn==1.0.8 flex-head-fa==0.1.2 fused-turboquant==0.1.0 gptq-triton==0.0.4
  h3-sparse-attn==0.1.0 kestrel-kernels==0.7.5 lion-pytorch==0.2.5 llmcompressor==0.14.0.1 moe-kernels==0.8.2
  nemo-toolkit==3.0.0 nequip-allegro==0.8.3 omnivoice-triton==0.1.0 onebitllms==0.0.4 packaging==26.3
  quack-kernels==0.6.5 qwen3-tts-triton==0.3.0 ring-flash-attn==0.1.8 rwkv-ops==0.11.3 spikingjelly==2.0.0
  stable-fast==1.0.5 torch-optimi==0.3.3 torchrec==1.9.2 torchtitan==0.3.0 transformer-nuggets==0.0.4
  triton-muon-adamw==1.0.0 tritonllm==0.1.1 trl==1.16.0 turbo-attn==0.70.1 ultra-fused-transformer==6.0.0.0.1
  unsloth-zoo==2026.10.9 xfuser==0.7.0
)
if [ ! -d "$downloads" ]; then
  mkdir -p "$downloads"
  "$python" "$here/fetch_archives.py" "$downloads" --smallest "${wanted[@]}"
fi

# Each in a folder of its own: their tests and kernels have the same names.
for file in "$downloads"/*; do
  name=$(basename "$file")
  own=$stage/${name%%-[0-9]*}
  mkdir -p "$own"
  case $file in
  *.whl) "$python" -m zipfile -e "$file" "$own" ;;
  *.tar.gz) tar xzf "$file" -C "$own" --strip-components 1 ;;
  esac
  [ ! -d "$own/src" ] || cp -r "$own"/src/* "$own"
done

# What the package is called when it is imported, from where it lies, as Python alone.
take() {
  local from=$1 name=$2
  [ -d "$from/$name" ] || { echo "there is no $name in $from" >&2; exit 1; }
  (cd "$from" && find "$name" -name '*.py' -o -path 'fairchem/core/models/uma/Jd.pt' | tar cf - -T -) | tar xf - -C "$packages"
}
for name in allegro aqlm attn_qat_infer attnres auto_gptq b10_kernel bf16_fused_adam cache_dit comfy_kitchen compressed_tensors \
  crossentropy_triton cuequivariance_ops_torch diffsynth einops esm exllamav3 fa2_custom_mask fairchem fastvideo_kernel ffpa_attn \
  flash_attention_triton flash_attention_x flash_attn_res flash_colreduce flash_qla flash_sd_kde flash_semicrf flashoptim \
  flashrnn flex_head_fa fused_turboquant gptq_triton h3_sparse_attn kestrel_kernels lion_pytorch llmcompressor moe_kernels \
  nemo omnivoice_triton onebitllms optimi packaging quack qwen3_tts_triton ring_flash_attn rwkv_ops sfast spikingjelly tkv \
  torchrec torchtitan transformer_nuggets triton_muon_adamw tritonllm trl ultra_fused unsloth_zoo xfuser; do
  for own in "$stage"/*; do
    [ -d "$own/$name" ] && take "$own" "$name" && break
  done || { echo "no package brings $name" >&2; exit 1; }
done

# Of spikingjelly the kernels lie beside it, of flash-sd-kde what these import as well.
cp -r "$stage"/spikingjelly/ops "$packages/spikingjelly/_ops"
cp -r "$stage"/flash_sd_kde/{kernels,globals.py} "$packages/flash_sd_kde"
find "$packages/flash_sd_kde" -name '*.py' -exec sed -i -E 's/^from (globals|kernels)\b/from flash_sd_kde.\1/' {} +
# tritonllm puts its parts where packages of these names are imported from.
find "$packages/tritonllm" -name '*.py' -exec sed -i -E \
  's/^( *)(from|import) (gpt_oss|triton_kernels)\b/\1\2 tritonllm.\3/' {} +
: > "$packages/tritonllm/__init__.py"
: > "$packages/tritonllm/gpt_oss/__init__.py"
# Where unsloth-zoo has this it asks it which GPU there is.
rm -rf "$packages/unsloth_zoo/mlx"
# rwkv-ops asks for JAX, or for extensions, before anything else.
for file in "$packages"/rwkv_ops/{,*/}__init__.py; do : > "$file"; done
find "$packages" -name '*.cu' -o -name '*.cuh' | xargs rm -f
du -sh "$packages"
