"""One module an output format: a Report in, text out."""
