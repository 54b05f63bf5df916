"""The routes, one module each under its public name."""
