"""Claims of yoshida: two secrets and a bounded distance."""
