"""``python -m epsilens`` is the ``epsilens`` command."""

from epsilens.cli import main

if __name__ == "__main__":
    main()
