"""Strict loaders and one module a document kind: bytes in, frozen dataclasses or problems out."""
