"""What every live view is: it talks with its pages, computes beside them, and can be saved."""
