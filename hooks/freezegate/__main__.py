"""`python -m freezegate` is the command `freezegate`."""

from freezegate.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
