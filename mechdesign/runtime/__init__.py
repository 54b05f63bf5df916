"""What a design needs of the process: time, threads, progress, logs, and names that have changed."""
