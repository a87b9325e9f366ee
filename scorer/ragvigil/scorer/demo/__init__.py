"""`ragvigil demo`: an example RAG service over Python's own documentation, its faults, and its on-call."""
