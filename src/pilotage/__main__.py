"""`python -m pilotage` is `pilotage`."""

from pilotage.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
