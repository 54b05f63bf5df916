"""The figures of Jiang, Li and Tandon on local information privacy with a bounded prior: one person's bit."""
