SELECT at, kind, trace_id, payload FROM events ORDER BY at, trace_id, span_id, kind, payload
