"""Tests of minitrain, which all run on the CPU."""

import os

# Before anything imports torch, also in the processes that the tests start.
os.environ["CUDA_VISIBLE_DEVICES"] = ""
