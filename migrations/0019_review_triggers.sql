-- What belongs to a media goes with it, whatever removes the record.
CREATE TRIGGER media_reviews_on_delete AFTER DELETE ON media
BEGIN
  DELETE FROM media_reviews WHERE media_id = OLD.id;
END;
--> statement-breakpoint
-- A decision whose revision has failed has hidden nothing: the media waits again.
CREATE TRIGGER media_reviews_on_failed_result AFTER UPDATE OF status ON media
WHEN NEW.status = 'failed' AND OLD.status <> 'failed'
BEGIN
  UPDATE media_reviews SET state = 'waiting', decided_at = NULL, decided_by = NULL, result_media_id = NULL
  WHERE result_media_id = NEW.id;
END;
--> statement-breakpoint
-- There is nothing left to look at.
CREATE TRIGGER media_reviews_on_expiry AFTER UPDATE OF source_deleted_at, output_size_bytes ON media
WHEN NEW.status = 'completed' AND NEW.source_deleted_at IS NOT NULL AND NEW.output_size_bytes IS NULL
BEGIN
  UPDATE media_reviews SET state = 'expired' WHERE media_id = NEW.id AND state = 'waiting';
END;
