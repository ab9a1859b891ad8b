from dataclasses import dataclass


@dataclass
class ModelConfig:
    hidden_size: int = 64
    moe_router_topk: int = 2
    moe_router_bias: bool = False
    moe_capacity_factor: float = 1.25
    moe_aux_loss: float = 0.01
    moe_token_drop: bool = False
