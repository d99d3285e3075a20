"""One module a hook, one function a rule. Each is imported by what judges its units; `all_rules` imports all."""
