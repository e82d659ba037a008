-- What belongs to a media goes with it, whatever removes the record.
CREATE TRIGGER masking_options_on_delete AFTER DELETE ON media
BEGIN
  DELETE FROM masking_options WHERE media_id = OLD.id;
END;
--> statement-breakpoint
CREATE TRIGGER media_revisions_on_delete AFTER DELETE ON media
BEGIN
  DELETE FROM media_revisions WHERE media_id = OLD.id;
END;
