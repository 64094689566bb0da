"""Python sources in memory: files, what each contains, what a name stands for, who calls whom."""
