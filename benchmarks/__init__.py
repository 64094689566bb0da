"""Speed, measured: `python -m benchmarks` prints medians and ratios of one run; nothing here is a
test.
"""
