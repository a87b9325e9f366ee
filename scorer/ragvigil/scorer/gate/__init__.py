"""Whether answers are good enough to ship: limits on the ends of intervals, and no fall against a baseline."""
