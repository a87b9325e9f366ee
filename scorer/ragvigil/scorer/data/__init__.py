"""Fitted coefficients and hand-written word lists, as JSON that says where its numbers came from."""
