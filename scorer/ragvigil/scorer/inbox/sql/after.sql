SELECT id, kind, trace_id, payload, received_at FROM rows WHERE id > ? ORDER BY id
