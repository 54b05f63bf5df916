"""The figures of Jiang, Li and Tandon on localized information privacy: surveys, sums and histograms of many people."""
