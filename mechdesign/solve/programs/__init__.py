"""The programs that routes hand to solvers, and the ones that are solved here."""
