SELECT id, kind, trace_id, payload, received_at, items FROM rows WHERE id > ? ORDER BY id
