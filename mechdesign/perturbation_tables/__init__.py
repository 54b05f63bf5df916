"""Perturbation tables of the cell-key method: noise of mean 0, of a fixed variance and of the most entropy."""
