"""The gallery: a page with interactive curves for each function, and a searchable index. Everything works offline."""
