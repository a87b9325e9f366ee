"""Other tracers of the same request, each imported only in an environment of its own."""
