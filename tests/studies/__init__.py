"""Frontiers, sweeps, and which notion implies which."""
