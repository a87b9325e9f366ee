UPDATE rows SET payload = x'' WHERE id <= ? AND kind IN ('spans', 'logs') AND trace_id NOT IN (SELECT trace_id FROM kept)
