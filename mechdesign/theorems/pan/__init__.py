"""Pan 2026: statements of its abstract, reconstructed from there."""
