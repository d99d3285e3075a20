"""One module a command group: parse arguments, call, print."""
