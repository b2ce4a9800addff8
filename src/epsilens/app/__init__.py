"""The workbench: Epsilens in a browser on this machine, for somebody who never writes code."""
