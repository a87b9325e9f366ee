"""What the ingest benchmark is made of: servers, load, measurements, tables."""
