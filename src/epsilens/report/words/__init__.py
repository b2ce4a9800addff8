"""Plain and true sentences about results, the same ones in the terminal, in reports and in the workbench."""
