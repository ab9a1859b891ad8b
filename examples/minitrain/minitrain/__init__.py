"""minitrain: a miniature library for training transformers on many devices."""

__version__ = "0.3.0"
