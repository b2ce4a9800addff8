"""One run of the workbench."""

from epsilens.app.main import main

main()
