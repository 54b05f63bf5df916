"""Estimates of a program's memory and time, made before any part is built."""
