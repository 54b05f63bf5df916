"""The figures of Zamani, Sadeghi and Skoglund: local information privacy of a hidden secret, at a small epsilon."""
