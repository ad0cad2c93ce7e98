"""`python -m audit` is the same as `audit`."""

from audit.start import run

if __name__ == "__main__":
    run()
