"""Cheats and everyday changes as small repositories, each with what the installed freezegate has to say of it."""
