"""A notebook as a page that works offline: its formulas as MathML, and its HTML sanitised."""
