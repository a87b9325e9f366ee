SELECT DISTINCT trace_id FROM rows WHERE kind IN ('spans', 'logs')
