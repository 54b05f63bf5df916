"""The process: threads, interruption, logs, names that have changed."""
