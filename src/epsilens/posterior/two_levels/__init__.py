"""The target's group and the group above it."""
