"""The wing that runs project code: children, searches, worktrees and environments."""
