"""Rotary position embeddings."""

from __future__ import annotations

import torch
from torch import Tensor


def rotary_angles(
    length: int, offset: int, head_size: int, base: float, device: torch.device
) -> Tensor:
    """Computes the angle by which each position turns each pair of features.

    Args:
        length: Number of positions.
        offset: The first position; not 0 where another rank holds the start of the sequence.
        head_size: Features of a head, two to a pair.
        base: Base of the wavelengths.
        device: Where to put the result.

    Returns:
        Angles `[length, head_size / 2]` in float32.
    """
    positions = torch.arange(offset, offset + length, device=device, dtype=torch.float32)
    exponents = torch.arange(0, head_size, 2, device=device, dtype=torch.float32) / head_size
    return torch.outer(positions, base**-exponents)


def apply_rotary(tensor: Tensor, angles: Tensor) -> Tensor:
    """Turns the pairs of features of a query or key.

    Args:
        tensor: Queries or keys `[s, b, n, d]`.
        angles: Angles `[s, d / 2]`.

    Returns:
        The turned tensor, of the same shape and type.
    """
    cosine = angles.cos()[:, None, None, :]  # [s, 1, 1, d / 2]
    sine = angles.sin()[:, None, None, :]
    first, second = tensor.float().chunk(2, dim=-1)  # [s, b, n, d / 2]
    turned = torch.cat((first * cosine - second * sine, first * sine + second * cosine), dim=-1)
    return turned.to(tensor.dtype)
