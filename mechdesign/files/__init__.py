"""Files and tables: read strictly, written whole or not at all."""
