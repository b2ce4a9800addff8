"""Charts and words about results. The only room that draws."""
