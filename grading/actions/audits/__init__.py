"""An audit's life: handed in, queued, run, brought back, taken back."""
