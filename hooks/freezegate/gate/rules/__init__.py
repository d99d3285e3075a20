"""One module a hook, one function a rule."""
