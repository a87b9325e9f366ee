-- What every writing connection needs: durable at commit (FULL), checkpoints left to their own thread.
PRAGMA page_size = 8192;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA wal_autocheckpoint = 0;
