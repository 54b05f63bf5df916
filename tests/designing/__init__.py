"""From a question to a design, whatever the question."""
