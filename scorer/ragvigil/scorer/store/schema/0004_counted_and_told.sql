-- Of which buckets `now` is: those that start in one of these stretches, [[from, to), ...] in JSON, Unix nanoseconds.
-- The metrics of its segments count the same answers. NULL until the series is evaluated by this version.
ALTER TABLE series ADD COLUMN counted TEXT;
-- The lowest level that a page of the incident has told; `worst` may be surer and lower. NULL where `worst` was told.
ALTER TABLE incidents ADD COLUMN last_told TEXT;
