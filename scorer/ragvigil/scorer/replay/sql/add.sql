INSERT INTO events (at, trace_id, span_id, kind, payload) VALUES (?, ?, ?, ?, ?)
