"""History out of other backends: their answers as OTLP/JSON, page by page."""
