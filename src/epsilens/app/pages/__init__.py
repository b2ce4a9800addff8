"""One file per page of the workbench, each with one function ``page(work)``."""
