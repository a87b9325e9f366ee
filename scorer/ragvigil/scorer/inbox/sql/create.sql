CREATE TABLE rows (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,            -- spans | logs | changes
  trace_id BLOB NOT NULL,        -- 16 bytes
  payload BLOB NOT NULL,         -- serialized TracesData or LogsData holding this trace only
  received_at INTEGER NOT NULL,  -- Unix time, nanoseconds
  items INTEGER NOT NULL         -- spans or log records in the payload
);
