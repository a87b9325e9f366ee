-- When the latest fall of an incident that opened again began; NULL of one that never did, or did by an earlier version.
ALTER TABLE incidents ADD COLUMN again_since INTEGER;
