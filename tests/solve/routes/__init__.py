"""Each route against brute force, other routes and published optima."""
