"""The configuration of a training run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import torch

from minitrain.utils import divide

_DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}


@dataclass
class Config:
    """Everything that shapes a run; equal on all ranks.

    Fields that can be derived from others are filled in after construction, and combinations
    that cannot work are refused there, before any device memory is touched.
    """

    # ---- Model ----

    num_layers: int = 4
    """Transformer blocks in the whole model."""

    hidden_size: int = 64
    """Width of the residual stream."""

    num_attention_heads: int = 4
    """Attention heads in each block."""

    ffn_hidden_size: Optional[int] = None
    """Width of the feed-forward layer; four times `hidden_size` if not given."""

    vocab_size: int = 128
    """Tokens in the vocabulary."""

    seq_length: int = 32
    """Tokens in each sample."""

    add_bias: bool = False
    """Give the linear layers a bias."""

    rotary_base: float = 10000.0
    """Base of the rotary position embedding's wavelengths."""

    norm_epsilon: float = 1e-5
    """Added to the mean square before RMSNorm takes its root."""

    init_std: float = 0.02
    """Standard deviation of freshly initialised weights."""

    attention_dropout: float = 0.0
    """Probability of dropping an attention weight."""

    hidden_dropout: float = 0.0
    """Probability of dropping an element of a block's output."""

    params_dtype: str = "float32"
    """Type of weights and activations: `float32` or `bfloat16`."""

    # ---- Mixture of experts ----

    num_experts: Optional[int] = None
    """Experts in each mixture-of-experts layer; None builds a dense model."""

    moe_layer_frequency: int = 1
    """Every how many blocks a mixture of experts replaces the dense feed-forward layer."""

    moe_router_topk: int = 2
    """Experts that see each token."""

    moe_aux_loss_coeff: float = 0.0
    """Weight of the loss that balances the load of the experts."""

    moe_capacity_factor: Optional[float] = None
    """Places of an expert relative to a balanced load; None drops no token."""

    moe_dispatcher: str = "alltoall"
    """How tokens travel to their experts: `alltoall` or `allgather`."""

    # ---- Parallelism ----

    tensor_parallel_size: int = 1
    """Ranks that share each layer's weights."""

    pipeline_parallel_size: int = 1
    """Ranks that share the layers."""

    context_parallel_size: int = 1
    """Ranks that share each sequence."""

    expert_parallel_size: int = 1
    """Ranks that share the experts."""

    sequence_parallel: bool = False
    """Split the activations between the tensor parallel blocks along the sequence."""

    # ---- Optimizer ----

    lr: float = 1e-3
    """Highest learning rate."""

    min_lr: float = 0.0
    """Learning rate at the end of the cosine decay."""

    lr_warmup_iters: int = 0
    """Iterations over which the learning rate rises to `lr`."""

    weight_decay: float = 0.01
    """Decoupled weight decay of the matrices; vectors are not decayed."""

    adam_beta1: float = 0.9
    """Decay of the first moment."""

    adam_beta2: float = 0.95
    """Decay of the second moment."""

    adam_epsilon: float = 1e-8
    """Added to the root of the second moment."""

    clip_grad: float = 1.0
    """Highest norm of the whole model's gradient; 0 does not clip."""

    use_distributed_optimizer: bool = False
    """Shard the optimizer's state over the data parallel ranks."""

    # ---- Training ----

    micro_batch_size: int = 2
    """Samples in one forward pass of one rank."""

    global_batch_size: int = 2
    """Samples in one step of the whole job."""

    train_iters: int = 10
    """Steps to train."""

    log_interval: int = 1
    """Steps between two lines of the log."""

    eval_interval: int = 0
    """Steps between two evaluations; 0 never evaluates."""

    eval_iters: int = 1
    """Global batches in one evaluation."""

    save_interval: int = 0
    """Steps between two checkpoints; 0 saves only at the end, if at all."""

    save_dir: Optional[str] = None
    """Folder to write checkpoints to; None writes none."""

    load_dir: Optional[str] = None
    """Folder to resume from; None starts afresh."""

    data_path: Optional[str] = None
    """File with a one-dimensional tensor of tokens; None trains on synthetic text."""

    seed: int = 1234
    """Seed of everything random."""

    def __post_init__(self) -> None:
        if self.ffn_hidden_size is None:
            self.ffn_hidden_size = 4 * self.hidden_size
        self._check_model()
        self._check_parallelism()
        if self.num_experts is not None:
            self._check_experts(self.num_experts)
        if self.global_batch_size % self.micro_batch_size != 0:
            raise ValueError("global_batch_size must be a multiple of micro_batch_size")

    def _check_model(self) -> None:
        if self.params_dtype not in _DTYPES:
            raise ValueError(f"params_dtype must be one of {sorted(_DTYPES)}")
        if self.hidden_size % self.num_attention_heads != 0:
            raise ValueError("hidden_size must be a multiple of num_attention_heads")
        if self.head_size % 2 != 0:
            raise ValueError("rotary embeddings need an even size of each head")
        for name in ("attention_dropout", "hidden_dropout"):
            if not 0.0 <= getattr(self, name) < 1.0:
                raise ValueError(f"{name} must be in [0, 1)")

    def _check_parallelism(self) -> None:
        if self.num_attention_heads % self.tensor_parallel_size != 0:
            raise ValueError("num_attention_heads must be a multiple of tensor_parallel_size")
        if self.vocab_size % self.tensor_parallel_size != 0:
            raise ValueError("vocab_size must be a multiple of tensor_parallel_size")
        if self.num_layers % self.pipeline_parallel_size != 0:
            raise ValueError("num_layers must be a multiple of pipeline_parallel_size")
        pieces = self.context_parallel_size
        if self.sequence_parallel:
            pieces *= self.tensor_parallel_size
        if self.seq_length % pieces != 0:
            raise ValueError(f"seq_length must be a multiple of {pieces} to be split")

    def _check_experts(self, num_experts: int) -> None:
        if num_experts % self.expert_parallel_size != 0:
            raise ValueError("num_experts must be a multiple of expert_parallel_size")
        if not 1 <= self.moe_router_topk <= num_experts:
            raise ValueError("moe_router_topk must be between 1 and num_experts")
        if self.moe_layer_frequency < 1:
            raise ValueError("moe_layer_frequency must be at least 1")
        if self.moe_capacity_factor is not None and self.moe_capacity_factor <= 0:
            raise ValueError("moe_capacity_factor must be positive")
        if self.moe_dispatcher not in ("alltoall", "allgather"):
            raise ValueError("moe_dispatcher must be 'alltoall' or 'allgather'")

    @property
    def dtype(self) -> torch.dtype:
        """`params_dtype` as a torch type."""
        return _DTYPES[self.params_dtype]

    @property
    def head_size(self) -> int:
        """Width of one attention head."""
        return self.hidden_size // self.num_attention_heads

    @property
    def activation_shape(self) -> tuple[int, int, int]:
        """Shape `[s, b, h]` of what one pipeline stage sends to the next."""
        sequence = divide(self.seq_length, self.context_parallel_size)
        if self.sequence_parallel:
            sequence = divide(sequence, self.tensor_parallel_size)
        return (sequence, self.micro_batch_size, self.hidden_size)

    def is_moe_layer(self, layer_number: int) -> bool:
        """Whether block `layer_number` (from 0, in the whole model) is a mixture of experts."""
        return self.num_experts is not None and layer_number % self.moe_layer_frequency == 0

    def num_microbatches(self, data_parallel_size: int) -> int:
        """Returns how many micro-batches each data parallel rank runs in a step."""
        return divide(self.global_batch_size, self.micro_batch_size * data_parallel_size)
