"""Problems: from data, with a hidden secret, with labels."""
