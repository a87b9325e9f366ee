SELECT coalesce(min(at), 0), coalesce(max(at), 0) FROM events
