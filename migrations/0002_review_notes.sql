-- What reviewers have noted about a file. A note goes with its file, as the file's name does.
CREATE TABLE review_notes (
  id TEXT PRIMARY KEY NOT NULL,
  media_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  written_by TEXT NOT NULL,
  written_at INTEGER NOT NULL,
  text TEXT NOT NULL
);
CREATE INDEX review_notes_by_media ON review_notes (media_id, id);

CREATE TRIGGER review_notes_on_delete AFTER DELETE ON media
BEGIN
  DELETE FROM review_notes WHERE media_id = OLD.id;
END;
