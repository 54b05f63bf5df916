"""Claims of jiang_bounded_prior: local information privacy where the prior is known up to a range."""
