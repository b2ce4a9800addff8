"""``python -m epsilens`` is the ``epsilens`` command."""

from epsilens.cli.main import process

if __name__ == "__main__":
    process()
