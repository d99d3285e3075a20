"""Python files read as text: predicates, imports, closures. Never by importing."""
