-- Speech that was found in sources, and what is muted in outputs. A video without either has no row.
CREATE TABLE media_sound (
  media_id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL,
  speech TEXT,
  muted TEXT
);

CREATE TRIGGER media_sound_on_delete AFTER DELETE ON media
BEGIN
  DELETE FROM media_sound WHERE media_id = OLD.id;
END;
