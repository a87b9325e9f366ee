SELECT record_id FROM (SELECT record_id FROM labels UNION SELECT record_id FROM label_items)
WHERE record_id NOT IN (SELECT id FROM records)
