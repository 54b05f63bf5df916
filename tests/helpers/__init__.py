"""Worlds to test in, and truths from elsewhere: brute force, exact values, random questions, hostile texts."""
