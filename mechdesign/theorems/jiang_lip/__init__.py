"""Claims of jiang_lip: local information privacy."""
