"""freezegate decides whether a failing property check may be frozen."""

__version__ = "0.1.0"
