-- How many media an account has of each status and type.
CREATE TRIGGER media_counts_on_insert AFTER INSERT ON media
BEGIN
  INSERT INTO media_counts (account_id, status, media_type, total)
  VALUES (NEW.account_id, NEW.status, NEW.media_type, 1)
  ON CONFLICT (account_id, status, media_type) DO UPDATE SET total = total + 1;
END;
--> statement-breakpoint
CREATE TRIGGER media_counts_on_update AFTER UPDATE OF status ON media WHEN OLD.status <> NEW.status
BEGIN
  UPDATE media_counts SET total = total - 1
  WHERE account_id = OLD.account_id AND status = OLD.status AND media_type = OLD.media_type;
  INSERT INTO media_counts (account_id, status, media_type, total)
  VALUES (NEW.account_id, NEW.status, NEW.media_type, 1)
  ON CONFLICT (account_id, status, media_type) DO UPDATE SET total = total + 1;
END;
--> statement-breakpoint
CREATE TRIGGER media_counts_on_delete AFTER DELETE ON media
BEGIN
  UPDATE media_counts SET total = total - 1
  WHERE account_id = OLD.account_id AND status = OLD.status AND media_type = OLD.media_type;
END;
--> statement-breakpoint
-- Quota is reserved by the change that queues a media, becomes usage when it completes and is given back otherwise.
CREATE TRIGGER usage_on_queued AFTER UPDATE OF status ON media
WHEN OLD.status = 'pending' AND NEW.status = 'queued'
BEGIN
  INSERT INTO usage (account_id, period_start, media_type, used_units, reserved_units)
  VALUES (NEW.account_id, NEW.period_start, NEW.media_type, 0, NEW.quota_units)
  ON CONFLICT (account_id, period_start, media_type) DO UPDATE SET reserved_units = reserved_units + NEW.quota_units;
END;
--> statement-breakpoint
CREATE TRIGGER usage_on_completed AFTER UPDATE OF status ON media
WHEN OLD.status IN ('queued', 'processing') AND NEW.status = 'completed'
BEGIN
  UPDATE usage SET used_units = used_units + NEW.quota_units, reserved_units = reserved_units - OLD.quota_units
  WHERE account_id = NEW.account_id AND period_start = NEW.period_start AND media_type = NEW.media_type;
END;
--> statement-breakpoint
CREATE TRIGGER usage_on_given_up AFTER UPDATE OF status ON media
WHEN OLD.status IN ('queued', 'processing') AND NEW.status IN ('failed', 'quota_exceeded')
BEGIN
  UPDATE usage SET reserved_units = reserved_units - OLD.quota_units
  WHERE account_id = NEW.account_id AND period_start = NEW.period_start AND media_type = NEW.media_type;
END;
--> statement-breakpoint
CREATE TRIGGER usage_on_deleted AFTER DELETE ON media
WHEN OLD.status IN ('queued', 'processing')
BEGIN
  UPDATE usage SET reserved_units = reserved_units - OLD.quota_units
  WHERE account_id = OLD.account_id AND period_start = OLD.period_start AND media_type = OLD.media_type;
END;
