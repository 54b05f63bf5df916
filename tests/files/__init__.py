"""Files of mechanisms and tables: strict, whole, hostile or golden."""
