"""The score process: its event loop, its clock, and the one thread that writes the store."""
