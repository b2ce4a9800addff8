"""Reading people: the only place that knows files, data frames, databases and engines."""
