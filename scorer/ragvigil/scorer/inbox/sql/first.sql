SELECT received_at FROM rows ORDER BY id LIMIT 1
