"""How much memory and time a program would take, estimated before any of it is built."""
