"""Build a Transformer by hand: helpers, checks and figures for the lessons."""

__version__ = "0.1.0"
