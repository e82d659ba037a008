-- A secret keeps signing for its 24 hours when the secret is rotated again: `[{"secret": …, "until": …}]`, newest first, of those
-- that were replaced before `previous_secret` was.
ALTER TABLE webhook_endpoints ADD COLUMN earlier_secrets TEXT NOT NULL DEFAULT '[]';
