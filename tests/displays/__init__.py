"""What a notebook and a terminal show."""
