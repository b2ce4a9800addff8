"""One question and one answer per command: asked without data, answered in numbers."""
