"""Whole trees of groups, every sibling's count used."""
