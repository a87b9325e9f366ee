-- How many rows `rollups` has: they never go, and counting them would be to read all of them.
INSERT INTO counters (name, value) SELECT 'rollups', count(*) FROM rollups;
CREATE TRIGGER rollup_added AFTER INSERT ON rollups BEGIN
    UPDATE counters SET value = value + 1 WHERE name = 'rollups';
END;
CREATE TRIGGER rollup_gone AFTER DELETE ON rollups BEGIN
    UPDATE counters SET value = value - 1 WHERE name = 'rollups';
END;
