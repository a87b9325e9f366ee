"""How each style of citation is read."""
