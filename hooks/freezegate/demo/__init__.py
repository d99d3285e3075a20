"""The whole story in a temporary repository: real git, real pre-commit, our own built-in files only."""
