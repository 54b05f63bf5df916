"""Our own claims, each with its proof."""
