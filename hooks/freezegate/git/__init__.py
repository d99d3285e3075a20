"""Finding the trees: one small function a git question, bytes in and out."""
