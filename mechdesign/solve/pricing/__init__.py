"""What a column gains at most: support functions, extreme rays, and prices that hold for any multipliers."""
