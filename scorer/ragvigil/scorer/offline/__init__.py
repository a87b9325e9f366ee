"""Frozen data on the command line: the same readers, checks and judge as in production, without a server."""
