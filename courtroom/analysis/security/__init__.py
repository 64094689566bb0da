"""What a safe project would not do: dangerous calls, paths and clones, committed secrets."""
