"""Samples: the target is somebody of a population, of whom a survey asked only some."""
