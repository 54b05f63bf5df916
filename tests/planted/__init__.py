"""Members with one planted defect each, and the clause that must catch it."""
