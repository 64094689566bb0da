"""Benchmarks: `python -m benchmarks` prints medians and ratios of one run. None is a test."""
