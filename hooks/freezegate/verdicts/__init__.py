"""The verdict workflow: splitting a diff, reproducing, running the catalog, applying freezes, reporting."""
