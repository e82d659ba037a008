-- Files of media that ended before there was a retention: 24 hours for sources, 30 days for outputs.
UPDATE media SET
  source_expires_at = coalesce(processed_at, failed_at, created_at) + 86400000,
  output_expires_at = CASE WHEN status = 'completed' THEN processed_at + 2592000000 END
WHERE status IN ('completed', 'failed', 'quota_exceeded');
--> statement-breakpoint
-- An event that was on its way when its media was deleted is forgotten once it has arrived or was given up. What tells
-- of the deletion itself names nothing but the media's id, and stays in the log.
CREATE TRIGGER events_of_deleted_media AFTER UPDATE OF status ON webhook_deliveries
WHEN OLD.status = 'pending' AND NEW.status <> 'pending'
BEGIN
  DELETE FROM events WHERE id = NEW.event_id AND endpoint_id IS NULL AND json_extract(payload, '$.media') IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM media WHERE media.id = events.media_id)
    AND NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE event_id = NEW.event_id AND status = 'pending');
END;
