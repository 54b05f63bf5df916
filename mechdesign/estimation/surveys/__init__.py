"""How people were drawn into a sample, and what that makes of the variance of estimates: weights, strata, clusters."""
