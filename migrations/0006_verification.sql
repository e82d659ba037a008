-- Whether finished files are read again, unless an upload says otherwise; null for the service's default.
ALTER TABLE accounts ADD COLUMN verify_photos INTEGER;
ALTER TABLE accounts ADD COLUMN verify_videos INTEGER;

CREATE TABLE media_verifications (
  media_id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL,
  status TEXT NOT NULL,
  pictures INTEGER NOT NULL,
  frames INTEGER NOT NULL,
  findings TEXT NOT NULL,
  draft TEXT
);

CREATE TRIGGER media_verifications_on_delete AFTER DELETE ON media
BEGIN
  DELETE FROM media_verifications WHERE media_id = OLD.id;
END;
