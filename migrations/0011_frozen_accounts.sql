-- Accounts whose rows may not be changed here, because they are being moved to another database or have been. While a move copies or
-- deletes their rows, it sets `is_copying`, within the transaction that does so.
CREATE TABLE frozen_accounts (
  account_id TEXT PRIMARY KEY NOT NULL,
  move_number INTEGER NOT NULL,
  role TEXT NOT NULL,
  is_copying INTEGER NOT NULL DEFAULT false,
  changed_at INTEGER NOT NULL,
  emptied_at INTEGER
);

-- These fences do not depend on what a Worker knows about the place of an account. `src/work/moving/moved-tables.ts` lists the tables.

CREATE TRIGGER media_reviews_fence_insert BEFORE INSERT ON media_reviews
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER media_reviews_fence_update BEFORE UPDATE ON media_reviews
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER media_reviews_fence_delete BEFORE DELETE ON media_reviews
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = OLD.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER media_revisions_fence_insert BEFORE INSERT ON media_revisions
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER media_revisions_fence_update BEFORE UPDATE ON media_revisions
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER media_revisions_fence_delete BEFORE DELETE ON media_revisions
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = OLD.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER media_fence_insert BEFORE INSERT ON media
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER media_fence_update BEFORE UPDATE ON media
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER media_fence_delete BEFORE DELETE ON media
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = OLD.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER batch_files_fence_insert BEFORE INSERT ON batch_files
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER batch_files_fence_update BEFORE UPDATE ON batch_files
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER batch_files_fence_delete BEFORE DELETE ON batch_files
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = OLD.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER masking_options_fence_insert BEFORE INSERT ON masking_options
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER masking_options_fence_update BEFORE UPDATE ON masking_options
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER masking_options_fence_delete BEFORE DELETE ON masking_options
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = OLD.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER media_detections_fence_insert BEFORE INSERT ON media_detections
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER media_detections_fence_update BEFORE UPDATE ON media_detections
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER media_detections_fence_delete BEFORE DELETE ON media_detections
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = OLD.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER media_verifications_fence_insert BEFORE INSERT ON media_verifications
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER media_verifications_fence_update BEFORE UPDATE ON media_verifications
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER media_verifications_fence_delete BEFORE DELETE ON media_verifications
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = OLD.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER media_models_fence_insert BEFORE INSERT ON media_models
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER media_models_fence_update BEFORE UPDATE ON media_models
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER media_models_fence_delete BEFORE DELETE ON media_models
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = OLD.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER media_sound_fence_insert BEFORE INSERT ON media_sound
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER media_sound_fence_update BEFORE UPDATE ON media_sound
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER media_sound_fence_delete BEFORE DELETE ON media_sound
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = OLD.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER review_notes_fence_insert BEFORE INSERT ON review_notes
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER review_notes_fence_update BEFORE UPDATE ON review_notes
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER review_notes_fence_delete BEFORE DELETE ON review_notes
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = OLD.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER object_purges_fence_insert BEFORE INSERT ON object_purges
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER object_purges_fence_update BEFORE UPDATE ON object_purges
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER object_purges_fence_delete BEFORE DELETE ON object_purges
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = OLD.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER resumable_uploads_fence_insert BEFORE INSERT ON resumable_uploads
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER resumable_uploads_fence_update BEFORE UPDATE ON resumable_uploads
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER resumable_uploads_fence_delete BEFORE DELETE ON resumable_uploads
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = OLD.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER idempotency_keys_fence_insert BEFORE INSERT ON idempotency_keys
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER idempotency_keys_fence_update BEFORE UPDATE ON idempotency_keys
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER idempotency_keys_fence_delete BEFORE DELETE ON idempotency_keys
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = OLD.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER video_tasks_fence_insert BEFORE INSERT ON video_tasks
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER video_tasks_fence_update BEFORE UPDATE ON video_tasks
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER video_tasks_fence_delete BEFORE DELETE ON video_tasks
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = OLD.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER events_fence_insert BEFORE INSERT ON events
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER events_fence_update BEFORE UPDATE ON events
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER events_fence_delete BEFORE DELETE ON events
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = OLD.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER webhook_endpoints_fence_insert BEFORE INSERT ON webhook_endpoints
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER webhook_endpoints_fence_update BEFORE UPDATE ON webhook_endpoints
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER webhook_endpoints_fence_delete BEFORE DELETE ON webhook_endpoints
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = OLD.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER webhook_deliveries_fence_insert BEFORE INSERT ON webhook_deliveries
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER webhook_deliveries_fence_update BEFORE UPDATE ON webhook_deliveries
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER webhook_deliveries_fence_delete BEFORE DELETE ON webhook_deliveries
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = OLD.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER webhook_attempts_fence_insert BEFORE INSERT ON webhook_attempts
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER webhook_attempts_fence_update BEFORE UPDATE ON webhook_attempts
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER webhook_attempts_fence_delete BEFORE DELETE ON webhook_attempts
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = OLD.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER deletion_records_fence_insert BEFORE INSERT ON deletion_records
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER deletion_records_fence_update BEFORE UPDATE ON deletion_records
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER deletion_records_fence_delete BEFORE DELETE ON deletion_records
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = OLD.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER name_rules_fence_insert BEFORE INSERT ON name_rules
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER name_rules_fence_update BEFORE UPDATE ON name_rules
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER name_rules_fence_delete BEFORE DELETE ON name_rules
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = OLD.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER review_rules_fence_insert BEFORE INSERT ON review_rules
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER review_rules_fence_update BEFORE UPDATE ON review_rules
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER review_rules_fence_delete BEFORE DELETE ON review_rules
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = OLD.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER account_reasons_fence_insert BEFORE INSERT ON account_reasons
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER account_reasons_fence_update BEFORE UPDATE ON account_reasons
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER account_reasons_fence_delete BEFORE DELETE ON account_reasons
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = OLD.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER usage_fence_insert BEFORE INSERT ON usage
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER usage_fence_update BEFORE UPDATE ON usage
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER usage_fence_delete BEFORE DELETE ON usage
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = OLD.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER usage_days_fence_insert BEFORE INSERT ON usage_days
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER usage_days_fence_update BEFORE UPDATE ON usage_days
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER usage_days_fence_delete BEFORE DELETE ON usage_days
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = OLD.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER media_counts_fence_insert BEFORE INSERT ON media_counts
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER media_counts_fence_update BEFORE UPDATE ON media_counts
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER media_counts_fence_delete BEFORE DELETE ON media_counts
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = OLD.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER account_turns_fence_insert BEFORE INSERT ON account_turns
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER account_turns_fence_update BEFORE UPDATE ON account_turns
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = NEW.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;

CREATE TRIGGER account_turns_fence_delete BEFORE DELETE ON account_turns
WHEN EXISTS (SELECT 1 FROM frozen_accounts WHERE account_id = OLD.account_id AND role <> 'free' AND NOT is_copying)
BEGIN
  SELECT RAISE(ABORT, 'account_moving');
END;
