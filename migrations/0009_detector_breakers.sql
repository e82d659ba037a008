-- While the detector is away, its jobs wait for a probe instead of trying one by one. Attempts at a task that failed only for that
-- are excused.
CREATE TABLE detector_breakers (
  queue TEXT PRIMARY KEY NOT NULL,
  failures INTEGER NOT NULL DEFAULT 0,
  most_at_once INTEGER,
  opened_at INTEGER,
  failed_probes INTEGER NOT NULL DEFAULT 0,
  retry_at INTEGER,
  wake_at INTEGER
);
ALTER TABLE video_tasks ADD COLUMN excused_attempts INTEGER NOT NULL DEFAULT 0;
