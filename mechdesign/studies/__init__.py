"""Many questions at once: comparisons, frontiers, sweeps, and which notion implies which."""
