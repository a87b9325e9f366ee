SELECT kind, payload FROM rows WHERE trace_id = ? AND kind IN ('spans', 'logs') ORDER BY id
