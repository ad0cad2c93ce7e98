"""`python -m audit` is the same as `audit`."""

from audit.cli import run

if __name__ == "__main__":
    run()
