"""What certificates rest on: support functions, prices, and bounds that hold for any multipliers."""
