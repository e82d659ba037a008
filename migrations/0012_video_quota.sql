-- A video that is longer than its container said reserves more of its quota while it is processed.
CREATE TRIGGER usage_on_requoted AFTER UPDATE OF quota_units ON media
WHEN OLD.status = 'processing' AND NEW.status = 'processing' AND OLD.quota_units <> NEW.quota_units
BEGIN
  UPDATE usage SET reserved_units = reserved_units + NEW.quota_units - OLD.quota_units
  WHERE account_id = NEW.account_id AND period_start = NEW.period_start AND media_type = NEW.media_type;
END;
