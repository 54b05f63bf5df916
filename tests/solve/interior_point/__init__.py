"""The interior point against a packaged solver."""
