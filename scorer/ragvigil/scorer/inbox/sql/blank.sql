UPDATE rows SET payload = x'' WHERE trace_id = ? AND kind IN ('spans', 'logs')
