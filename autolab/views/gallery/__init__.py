"""The gallery: for each function a page whose curves move, and an index that is searched. All of it works offline."""
