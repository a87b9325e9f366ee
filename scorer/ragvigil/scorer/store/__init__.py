"""Where records, scores, incidents and messages stay: the ports' implementations."""
