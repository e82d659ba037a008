-- Why things are hidden: the reasons that an account's masks may carry, `[{"code": …, "text": …}]`, and the default codes by category.
CREATE TABLE account_reasons (
  account_id TEXT PRIMARY KEY NOT NULL,
  reasons TEXT NOT NULL,
  defaults TEXT NOT NULL,
  changed_at INTEGER NOT NULL
);

-- The text of each reason that a photo's detections carry, as it was when they got it: `{code: text}`.
ALTER TABLE media_detections ADD COLUMN reason_texts TEXT;

-- When the upload was made that a media item is a version of: a correction keeps the place of its upload in lists.
ALTER TABLE media ADD COLUMN uploaded_at INTEGER;
UPDATE media SET uploaded_at = coalesce(
  (SELECT first.created_at FROM media_revisions JOIN media AS first ON first.id = media_revisions.first_media_id
    WHERE media_revisions.media_id = media.id), created_at);
CREATE INDEX media_by_upload ON media (account_id, uploaded_at, id) WHERE current_version_id IS NULL;

CREATE TRIGGER media_uploaded_on_insert AFTER INSERT ON media WHEN NEW.uploaded_at IS NULL
BEGIN
  UPDATE media SET uploaded_at = NEW.created_at WHERE id = NEW.id;
END;

CREATE TRIGGER media_uploaded_on_version AFTER INSERT ON media_revisions
BEGIN
  UPDATE media SET uploaded_at = coalesce((SELECT first.uploaded_at FROM media AS first WHERE first.id = NEW.first_media_id), uploaded_at)
  WHERE id = NEW.media_id;
END;

-- Counts the media that are not current versions, which lists of current versions leave out.
ALTER TABLE media_counts ADD COLUMN superseded INTEGER NOT NULL DEFAULT 0;
UPDATE media_counts SET superseded = (SELECT count(*) FROM media
  WHERE media.account_id = media_counts.account_id AND media.status = media_counts.status
    AND media.media_type = media_counts.media_type AND media.current_version_id IS NOT NULL);

CREATE TRIGGER media_counts_on_superseded_insert AFTER INSERT ON media WHEN NEW.current_version_id IS NOT NULL
BEGIN
  INSERT INTO media_counts (account_id, status, media_type, total, superseded)
  VALUES (NEW.account_id, NEW.status, NEW.media_type, 0, 1)
  ON CONFLICT (account_id, status, media_type) DO UPDATE SET superseded = superseded + 1;
END;

CREATE TRIGGER media_counts_on_superseded AFTER UPDATE OF current_version_id ON media
WHEN (OLD.current_version_id IS NULL) <> (NEW.current_version_id IS NULL)
BEGIN
  UPDATE media_counts SET superseded = superseded + CASE WHEN NEW.current_version_id IS NULL THEN -1 ELSE 1 END
  WHERE account_id = NEW.account_id AND status = NEW.status AND media_type = NEW.media_type;
END;

CREATE TRIGGER media_counts_on_superseded_status AFTER UPDATE OF status ON media
WHEN OLD.status <> NEW.status AND OLD.current_version_id IS NOT NULL
BEGIN
  UPDATE media_counts SET superseded = superseded - 1
  WHERE account_id = OLD.account_id AND status = OLD.status AND media_type = OLD.media_type;
  INSERT INTO media_counts (account_id, status, media_type, total, superseded)
  VALUES (NEW.account_id, NEW.status, NEW.media_type, 0, 1)
  ON CONFLICT (account_id, status, media_type) DO UPDATE SET superseded = superseded + 1;
END;

CREATE TRIGGER media_counts_on_superseded_deleted AFTER DELETE ON media WHEN OLD.current_version_id IS NOT NULL
BEGIN
  UPDATE media_counts SET superseded = superseded - 1
  WHERE account_id = OLD.account_id AND status = OLD.status AND media_type = OLD.media_type;
END;

-- A file waits for review once: where several of its versions would wait, only the newest one does.
DELETE FROM media_reviews WHERE state = 'waiting' AND EXISTS (
  SELECT 1 FROM media_revisions AS newer JOIN media_reviews AS other ON other.media_id = newer.media_id
  WHERE other.state = 'waiting' AND newer.media_id > media_reviews.media_id AND newer.first_media_id = coalesce(
    (SELECT own.first_media_id FROM media_revisions AS own WHERE own.media_id = media_reviews.media_id), media_reviews.media_id));

CREATE TRIGGER media_reviews_once_on_insert AFTER INSERT ON media_reviews WHEN NEW.state = 'waiting'
BEGIN
  DELETE FROM media_reviews WHERE state = 'waiting' AND media_id IN (
    SELECT coalesce((SELECT first_media_id FROM media_revisions WHERE media_id = NEW.media_id), NEW.media_id)
    UNION ALL
    SELECT media_id FROM media_revisions WHERE first_media_id = coalesce(
      (SELECT first_media_id FROM media_revisions WHERE media_id = NEW.media_id), NEW.media_id))
  AND EXISTS (
    SELECT 1 FROM media_revisions AS newer JOIN media_reviews AS other ON other.media_id = newer.media_id
    WHERE other.state = 'waiting' AND newer.media_id > media_reviews.media_id AND newer.first_media_id = coalesce(
      (SELECT own.first_media_id FROM media_revisions AS own WHERE own.media_id = NEW.media_id), NEW.media_id));
END;

CREATE TRIGGER media_reviews_once_on_update AFTER UPDATE OF state ON media_reviews
WHEN NEW.state = 'waiting' AND OLD.state <> 'waiting'
BEGIN
  DELETE FROM media_reviews WHERE state = 'waiting' AND media_id IN (
    SELECT coalesce((SELECT first_media_id FROM media_revisions WHERE media_id = NEW.media_id), NEW.media_id)
    UNION ALL
    SELECT media_id FROM media_revisions WHERE first_media_id = coalesce(
      (SELECT first_media_id FROM media_revisions WHERE media_id = NEW.media_id), NEW.media_id))
  AND EXISTS (
    SELECT 1 FROM media_revisions AS newer JOIN media_reviews AS other ON other.media_id = newer.media_id
    WHERE other.state = 'waiting' AND newer.media_id > media_reviews.media_id AND newer.first_media_id = coalesce(
      (SELECT own.first_media_id FROM media_revisions AS own WHERE own.media_id = NEW.media_id), NEW.media_id));
END;
