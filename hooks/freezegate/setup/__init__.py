"""Bringing a repository under the gate."""
