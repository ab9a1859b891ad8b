"""Small helpers that every other module may import."""

from __future__ import annotations

import torch


def divide(numerator: int, denominator: int) -> int:
    """Divides two integers that must divide without a remainder.

    Args:
        numerator: The number to divide.
        denominator: The number to divide by.

    Returns:
        The exact quotient.

    Raises:
        ValueError: If `numerator` is not a multiple of `denominator`.
    """
    if numerator % denominator != 0:
        raise ValueError(f"{numerator} is not divisible by {denominator}")
    return numerator // denominator


def current_device() -> torch.device:
    """Returns the device that this process computes on."""
    if torch.cuda.is_available():
        return torch.device("cuda", torch.cuda.current_device())
    return torch.device("cpu")


def pad_to_multiple(length: int, multiple: int) -> int:
    """Returns the smallest multiple of `multiple` that is at least `length`."""
    return (length + multiple - 1) // multiple * multiple
