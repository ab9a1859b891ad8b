"""Mixture of experts: each token is processed by a few of many feed-forward networks."""
