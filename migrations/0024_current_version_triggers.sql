-- A media and its revisions are versions of one file. The newest completed one is current; while none is completed, the newest.
CREATE TRIGGER media_versions_on_revision AFTER INSERT ON media_revisions
BEGIN
  UPDATE media SET current_version_id = nullif(
    (SELECT version.id FROM media AS version
      WHERE version.id = NEW.first_media_id
        OR version.id IN (SELECT media_id FROM media_revisions WHERE first_media_id = NEW.first_media_id)
      ORDER BY version.status = 'completed' DESC, version.created_at DESC, version.id DESC LIMIT 1), id)
  WHERE id = NEW.first_media_id OR id IN (SELECT media_id FROM media_revisions WHERE first_media_id = NEW.first_media_id);
END;
--> statement-breakpoint
CREATE TRIGGER media_versions_on_completed AFTER UPDATE OF status ON media
WHEN NEW.status = 'completed' AND OLD.status <> 'completed'
  AND EXISTS (SELECT 1 FROM media_revisions WHERE media_id = NEW.id)
BEGIN
  UPDATE media SET current_version_id = nullif(
    (SELECT version.id FROM media AS version
      WHERE version.id = (SELECT first_media_id FROM media_revisions WHERE media_id = NEW.id)
        OR version.id IN (SELECT media_id FROM media_revisions WHERE first_media_id = (SELECT first_media_id FROM media_revisions WHERE media_id = NEW.id))
      ORDER BY version.status = 'completed' DESC, version.created_at DESC, version.id DESC LIMIT 1), id)
  WHERE id = (SELECT first_media_id FROM media_revisions WHERE media_id = NEW.id) OR id IN (SELECT media_id FROM media_revisions WHERE first_media_id = (SELECT first_media_id FROM media_revisions WHERE media_id = NEW.id));
END;
--> statement-breakpoint
-- A trigger removes the row with its media.
CREATE TRIGGER media_versions_on_revision_deleted AFTER DELETE ON media_revisions
BEGIN
  UPDATE media SET current_version_id = nullif(
    (SELECT version.id FROM media AS version
      WHERE version.id = OLD.first_media_id
        OR version.id IN (SELECT media_id FROM media_revisions WHERE first_media_id = OLD.first_media_id)
      ORDER BY version.status = 'completed' DESC, version.created_at DESC, version.id DESC LIMIT 1), id)
  WHERE id = OLD.first_media_id OR id IN (SELECT media_id FROM media_revisions WHERE first_media_id = OLD.first_media_id);
END;
--> statement-breakpoint
CREATE TRIGGER media_versions_on_first_deleted AFTER DELETE ON media
WHEN EXISTS (SELECT 1 FROM media_revisions WHERE first_media_id = OLD.id)
BEGIN
  UPDATE media SET current_version_id = nullif(
    (SELECT version.id FROM media AS version
      WHERE version.id = OLD.id
        OR version.id IN (SELECT media_id FROM media_revisions WHERE first_media_id = OLD.id)
      ORDER BY version.status = 'completed' DESC, version.created_at DESC, version.id DESC LIMIT 1), id)
  WHERE id = OLD.id OR id IN (SELECT media_id FROM media_revisions WHERE first_media_id = OLD.id);
END;
--> statement-breakpoint
-- What was revised before there were current versions.
UPDATE media SET current_version_id = nullif(
  (SELECT version.id FROM media AS version
    WHERE version.id = coalesce((SELECT first_media_id FROM media_revisions WHERE media_id = media.id), media.id)
      OR version.id IN (SELECT media_id FROM media_revisions
        WHERE first_media_id = coalesce((SELECT first_media_id FROM media_revisions WHERE media_id = media.id), media.id))
    ORDER BY version.status = 'completed' DESC, version.created_at DESC, version.id DESC LIMIT 1), id)
WHERE id IN (SELECT first_media_id FROM media_revisions UNION SELECT media_id FROM media_revisions);
