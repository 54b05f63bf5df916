"""The version, written here alone: every module and the build (pyproject.toml) read it."""

VERSION = "0.3.0"
