-- A resumable upload is hashed as its parts arrive: the state of SHA-256 after the complete parts, and the hash of the whole file.
ALTER TABLE resumable_uploads ADD COLUMN sha256_state TEXT;
ALTER TABLE resumable_uploads ADD COLUMN sha256 TEXT;

-- The size of a redacted file, which stays known when the file is deleted.
ALTER TABLE media ADD COLUMN redacted_size_bytes INTEGER;

-- Who made a version: the ID of a user, or `request` for a program with an API key.
ALTER TABLE media_revisions ADD COLUMN made_by TEXT;
UPDATE media_revisions
SET made_by = CASE WHEN entry.actor_kind = 'user' THEN entry.actor_id ELSE 'request' END
FROM audit_entries AS entry
WHERE entry.account_id = media_revisions.account_id
  AND entry.kind IN ('media.revised', 'media.restored', 'media.retried', 'media.approved', 'media.corrected')
  AND media_revisions.media_id = CASE WHEN entry.kind IN ('media.approved', 'media.corrected')
    THEN substr(entry.detail, 1, 36) ELSE entry.subject_id END;

-- The models that looked at a media item.
CREATE TABLE media_models (
  media_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  model_id TEXT NOT NULL,
  version TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  PRIMARY KEY (media_id, model_id, version, sha256)
);
CREATE TRIGGER media_models_on_delete AFTER DELETE ON media
BEGIN
  DELETE FROM media_models WHERE media_id = OLD.id;
END;

-- The keys that sign reports. Replaced keys stay, so that old reports can be verified.
CREATE TABLE report_keys (
  id TEXT PRIMARY KEY NOT NULL,
  public_key TEXT NOT NULL,
  private_key TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  replaced_at INTEGER
);
