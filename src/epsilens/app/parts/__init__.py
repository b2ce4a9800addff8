"""What several pages of the workbench are made of."""
