SELECT coalesce(sum(items), 0) FROM rows WHERE id > ?
