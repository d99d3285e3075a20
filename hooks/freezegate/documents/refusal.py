"""The one exception of the documents' constructors."""

from __future__ import annotations

from freezegate.documents.strict_text import Pointer

QUOTE_IT = "quote it: digests and commit ids are strings"
MOST_PROBLEMS = 20
"""How many problems of one sort are listed before the rest is only counted."""


class Refused(Exception):
    """A value that is no document of its kind: where (a pointer from the document's root), and why.

    `beyond` marks a demand that JSON Schema does not express (an order of two bounds, a calendar date);
    every other refusal must be one of the kind's schema too.
    """

    def __init__(self, pointer: Pointer, message: str, *, beyond: bool = False) -> None:
        super().__init__(message)
        self.pointer = pointer
        self.message = message
        self.beyond = beyond
