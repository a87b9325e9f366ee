INSERT INTO rows (kind, trace_id, payload, received_at, items) VALUES (?, ?, ?, ?, ?)
