"""What runs inside the child, under the project's interpreter: the standard library only, nothing of freezegate."""
