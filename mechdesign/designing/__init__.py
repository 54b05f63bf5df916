"""From a question to a design: a route is chosen, its answer repaired, proved, audited and returned."""
