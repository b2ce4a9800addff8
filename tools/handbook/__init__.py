"""What the handbook is built with: formulas as MathML, and the references made of the program itself."""
