-- A retry is a version of a file that is analyzed anew. A revision of a retry goes by the analysis of that retry.
ALTER TABLE media_revisions ADD COLUMN analysis_media_id TEXT;
UPDATE media_revisions SET analysis_media_id = first_media_id;

-- A retry is inserted as queued: its file is already there. Revisions take nothing of the quota.
CREATE TRIGGER usage_on_inserted AFTER INSERT ON media
WHEN NEW.status = 'queued' AND NEW.quota_units > 0
BEGIN
  INSERT INTO usage (account_id, period_start, media_type, used_units, reserved_units)
  VALUES (NEW.account_id, NEW.period_start, NEW.media_type, 0, NEW.quota_units)
  ON CONFLICT (account_id, period_start, media_type) DO UPDATE SET reserved_units = reserved_units + NEW.quota_units;
END;
