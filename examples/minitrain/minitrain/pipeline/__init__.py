"""Pipeline parallelism: each stage holds some of the layers."""
