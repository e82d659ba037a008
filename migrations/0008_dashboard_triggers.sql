-- What became of media on each day.
CREATE TRIGGER usage_days_on_completed AFTER UPDATE OF status ON media
WHEN OLD.status IN ('queued', 'processing') AND NEW.status = 'completed'
BEGIN
  INSERT INTO usage_days (account_id, day, media_type, completed, failed, units, processing_ms)
  VALUES (NEW.account_id, date(coalesce(NEW.processed_at, NEW.created_at) / 1000, 'unixepoch'), NEW.media_type, 1, 0, NEW.quota_units,
    coalesce(NEW.processed_at - NEW.created_at, 0))
  ON CONFLICT (account_id, day, media_type) DO UPDATE SET completed = completed + 1,
    units = units + excluded.units, processing_ms = processing_ms + excluded.processing_ms;
END;
--> statement-breakpoint
CREATE TRIGGER usage_days_on_failed AFTER UPDATE OF status ON media
WHEN OLD.status IN ('queued', 'processing') AND NEW.status = 'failed'
BEGIN
  INSERT INTO usage_days (account_id, day, media_type, completed, failed, units, processing_ms)
  VALUES (NEW.account_id, date(coalesce(NEW.failed_at, NEW.created_at) / 1000, 'unixepoch'), NEW.media_type, 0, 1, 0, 0)
  ON CONFLICT (account_id, day, media_type) DO UPDATE SET failed = failed + 1;
END;
--> statement-breakpoint
-- What was found in a media goes with it, whatever removes the record.
CREATE TRIGGER media_detections_on_delete AFTER DELETE ON media
BEGIN
  DELETE FROM media_detections WHERE media_id = OLD.id;
END;
