"""The sidecar: receives traces, joins them to records, scores them, watches the series, pages."""
