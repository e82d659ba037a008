-- The whole schema: tables with their indexes first, then triggers. The `*.table.ts` files in `src/` describe what each table and
-- column holds; `test/docs-node/migrations.test.ts` fails when this file and those declarations disagree.

-- Accounts, their keys, and who may sign in to the dashboard

CREATE TABLE accounts (
  id TEXT PRIMARY KEY NOT NULL,
  name TEXT NOT NULL,
  plan TEXT NOT NULL,
  anchor_day INTEGER NOT NULL,
  requests_per_minute INTEGER,
  images_per_period INTEGER,
  video_minutes_per_period INTEGER,
  source_retention_hours INTEGER,
  output_retention_days INTEGER,
  created_at INTEGER NOT NULL
);

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  revoked_at INTEGER,
  scopes TEXT,
  expires_at INTEGER
);
CREATE UNIQUE INDEX api_keys_sha256_unique ON api_keys (sha256);
CREATE INDEX api_keys_by_account ON api_keys (account_id, created_at);

CREATE TABLE users (
  id TEXT PRIMARY KEY NOT NULL,
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  email_verified INTEGER NOT NULL,
  image TEXT,
  two_factor_enabled INTEGER DEFAULT false,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX users_email_unique ON users (email);

CREATE TABLE sessions (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  token TEXT NOT NULL,
  active_account_id TEXT,
  ip_address TEXT,
  user_agent TEXT,
  expires_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX sessions_token_unique ON sessions (token);
CREATE INDEX sessions_by_user ON sessions (user_id);

CREATE TABLE sign_in_methods (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  provider_id TEXT NOT NULL,
  provider_account_id TEXT NOT NULL,
  password_hash TEXT,
  access_token TEXT,
  refresh_token TEXT,
  id_token TEXT,
  access_token_expires_at INTEGER,
  refresh_token_expires_at INTEGER,
  scope TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE INDEX sign_in_methods_by_user ON sign_in_methods (user_id);
CREATE INDEX sign_in_methods_by_provider ON sign_in_methods (provider_id, provider_account_id);

CREATE TABLE verifications (
  id TEXT PRIMARY KEY NOT NULL,
  identifier TEXT NOT NULL,
  value TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE INDEX verifications_by_identifier ON verifications (identifier);

CREATE TABLE two_factors (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  secret TEXT NOT NULL,
  backup_codes TEXT NOT NULL,
  verified INTEGER DEFAULT true,
  failed_verification_count INTEGER DEFAULT 0,
  locked_until INTEGER
);
CREATE INDEX two_factors_by_user ON two_factors (user_id);
CREATE INDEX two_factors_by_secret ON two_factors (secret);

CREATE TABLE memberships (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, user_id)
);
CREATE INDEX memberships_by_user ON memberships (user_id);

CREATE TABLE invitations (
  id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  email TEXT NOT NULL,
  role TEXT NOT NULL,
  token_sha256 TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  accepted_at INTEGER,
  revoked_at INTEGER
);
CREATE UNIQUE INDEX invitations_token_sha256_unique ON invitations (token_sha256);
CREATE INDEX invitations_by_account ON invitations (account_id, created_at);
CREATE INDEX invitations_by_email ON invitations (email);

-- Uploads in progress

CREATE TABLE idempotency_keys (
  account_id TEXT NOT NULL,
  key TEXT NOT NULL,
  lock_id TEXT NOT NULL,
  locked_until INTEGER NOT NULL,
  fingerprint TEXT,
  response_body TEXT,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, key)
);
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);

CREATE TABLE resumable_uploads (
  id_sha256 TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL,
  media_id TEXT NOT NULL,
  length_bytes INTEGER NOT NULL,
  offset_bytes INTEGER NOT NULL DEFAULT 0,
  metadata TEXT NOT NULL,
  filename TEXT,
  multipart_upload_id TEXT,
  part_etags TEXT NOT NULL,
  lock_id TEXT,
  locked_until INTEGER,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  finished_at INTEGER
);
CREATE UNIQUE INDEX resumable_uploads_media_id_unique ON resumable_uploads (media_id);
CREATE INDEX resumable_uploads_by_account ON resumable_uploads (account_id);
CREATE INDEX resumable_uploads_by_expiry ON resumable_uploads (expires_at);

-- Media, and what belongs to a media item

CREATE TABLE media (
  id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  status TEXT NOT NULL,
  filename TEXT NOT NULL,
  media_type TEXT NOT NULL,
  format TEXT NOT NULL,
  source_format TEXT,
  categories TEXT NOT NULL,
  redaction_method TEXT NOT NULL,
  file_size_bytes INTEGER NOT NULL,
  width_pixels INTEGER NOT NULL,
  height_pixels INTEGER NOT NULL,
  duration_seconds REAL,
  origin TEXT NOT NULL,
  request_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  processed_at INTEGER,
  failed_at INTEGER,
  failure_code TEXT,
  multipart_upload_id TEXT,
  output_upload_id TEXT,
  quota_units INTEGER NOT NULL,
  period_start TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  lease_id TEXT,
  lease_expires_at INTEGER,
  available_at INTEGER,
  output_size_bytes INTEGER,
  source_expires_at INTEGER,
  source_deleted_at INTEGER,
  output_expires_at INTEGER,
  folder TEXT,
  metadata TEXT,
  external_id TEXT,
  current_version_id TEXT,
  source_sha256 TEXT,
  output_sha256 TEXT
);
CREATE INDEX media_source_expiry ON media (source_expires_at) WHERE source_expires_at IS NOT NULL;
CREATE INDEX media_output_expiry ON media (output_expires_at) WHERE output_expires_at IS NOT NULL;
CREATE INDEX media_with_objects ON media (account_id, id) WHERE source_deleted_at IS NULL OR output_size_bytes IS NOT NULL;
CREATE INDEX media_by_account ON media (account_id, created_at, id);
CREATE INDEX media_by_account_status ON media (account_id, status, created_at, id);
CREATE INDEX media_by_account_type ON media (account_id, media_type, created_at, id);
CREATE INDEX media_by_account_folder ON media (account_id, folder, created_at, id) WHERE folder IS NOT NULL;
CREATE INDEX media_by_external_id ON media (account_id, external_id, created_at, id) WHERE external_id IS NOT NULL;
CREATE INDEX media_not_current ON media (account_id, status, media_type) WHERE current_version_id IS NOT NULL;
CREATE INDEX media_unfinished ON media (status, available_at);
CREATE INDEX media_queued ON media (account_id, media_type, available_at, id) WHERE status = 'queued';
CREATE INDEX media_held ON media (lease_id) WHERE status = 'processing';

CREATE TABLE media_counts (
  account_id TEXT NOT NULL,
  status TEXT NOT NULL,
  media_type TEXT NOT NULL,
  total INTEGER NOT NULL,
  PRIMARY KEY (account_id, status, media_type)
);

CREATE TABLE object_purges (
  media_id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL,
  multipart_upload_id TEXT,
  output_upload_id TEXT,
  requested_at INTEGER NOT NULL,
  settled_at INTEGER NOT NULL
);
CREATE INDEX object_purges_by_time ON object_purges (settled_at);

CREATE TABLE batch_files (
  media_id TEXT PRIMARY KEY NOT NULL REFERENCES media (id) ON DELETE CASCADE,
  account_id TEXT NOT NULL,
  batch_id TEXT NOT NULL,
  added_at INTEGER NOT NULL
);
CREATE INDEX batch_files_by_batch ON batch_files (account_id, batch_id, added_at);

CREATE TABLE masking_options (
  media_id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL,
  options TEXT NOT NULL
);

CREATE TABLE media_detections (
  media_id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL,
  detections TEXT NOT NULL,
  orientation INTEGER,
  is_truncated INTEGER NOT NULL DEFAULT false
);

CREATE TABLE media_revisions (
  media_id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL,
  first_media_id TEXT NOT NULL
);
CREATE INDEX media_revisions_by_first ON media_revisions (first_media_id);

CREATE TABLE review_rules (
  account_id TEXT PRIMARY KEY NOT NULL,
  rules TEXT NOT NULL,
  changed_at INTEGER NOT NULL
);

CREATE TABLE media_reviews (
  media_id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL,
  state TEXT NOT NULL,
  reasons TEXT NOT NULL,
  flagged_at INTEGER NOT NULL,
  decided_at INTEGER,
  decided_by TEXT,
  result_media_id TEXT
);
CREATE INDEX media_reviews_waiting ON media_reviews (account_id, flagged_at, media_id) WHERE state = 'waiting';
CREATE INDEX media_reviews_expired ON media_reviews (account_id, flagged_at) WHERE state = 'expired';
CREATE INDEX media_reviews_by_result ON media_reviews (result_media_id) WHERE result_media_id IS NOT NULL;

-- Jobs

CREATE TABLE account_turns (
  queue TEXT NOT NULL,
  account_id TEXT NOT NULL,
  waiting INTEGER NOT NULL DEFAULT 0,
  running INTEGER NOT NULL DEFAULT 0,
  start_tag REAL NOT NULL DEFAULT 0,
  finish_tag REAL NOT NULL DEFAULT 0,
  lease_id TEXT,
  resent_at INTEGER,
  PRIMARY KEY (queue, account_id)
);
CREATE INDEX account_turns_waiting ON account_turns (queue, finish_tag) WHERE waiting > 0;
CREATE INDEX account_turns_running ON account_turns (queue) WHERE running > 0;
CREATE INDEX account_turns_by_start ON account_turns (queue, start_tag);

CREATE TABLE video_tasks (
  media_id TEXT NOT NULL REFERENCES media (id) ON DELETE CASCADE,
  account_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  segment INTEGER NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  lease_id TEXT,
  lease_expires_at INTEGER,
  available_at INTEGER NOT NULL,
  PRIMARY KEY (media_id, kind, segment)
);
CREATE INDEX video_tasks_ready ON video_tasks (media_id, segment, available_at) WHERE state = 'ready';
CREATE INDEX video_tasks_held ON video_tasks (lease_id) WHERE state = 'running';

CREATE TABLE dead_letters (
  message_id TEXT PRIMARY KEY NOT NULL,
  queue TEXT NOT NULL,
  reason TEXT NOT NULL DEFAULT 'retries_spent',
  body TEXT NOT NULL,
  account_id TEXT,
  media_id TEXT,
  recorded_at INTEGER NOT NULL,
  redrive_requested_at INTEGER,
  redriven_at INTEGER
);
CREATE INDEX dead_letters_by_time ON dead_letters (recorded_at);
CREATE INDEX dead_letters_to_redrive ON dead_letters (redrive_requested_at) WHERE redrive_requested_at IS NOT NULL;

-- Usage

CREATE TABLE usage (
  account_id TEXT NOT NULL,
  period_start TEXT NOT NULL,
  media_type TEXT NOT NULL,
  used_units INTEGER NOT NULL,
  reserved_units INTEGER NOT NULL,
  PRIMARY KEY (account_id, period_start, media_type)
);

CREATE TABLE usage_days (
  account_id TEXT NOT NULL,
  day TEXT NOT NULL,
  media_type TEXT NOT NULL,
  completed INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  units INTEGER NOT NULL,
  processing_ms INTEGER NOT NULL,
  PRIMARY KEY (account_id, day, media_type)
);

-- Events and webhooks

CREATE TABLE events (
  id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL,
  media_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  payload TEXT NOT NULL,
  request_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  endpoint_id TEXT
);
CREATE UNIQUE INDEX events_once_per_media ON events (media_id, kind);
CREATE INDEX events_by_account ON events (account_id, created_at);
CREATE INDEX events_by_time ON events (created_at);

CREATE TABLE webhook_endpoints (
  id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  url TEXT NOT NULL,
  event_kinds TEXT NOT NULL,
  secret TEXT NOT NULL,
  previous_secret TEXT,
  previous_secret_until INTEGER,
  created_at INTEGER NOT NULL,
  failing_since INTEGER,
  disabled_at INTEGER,
  disabled_reason TEXT
);
CREATE INDEX webhook_endpoints_by_account ON webhook_endpoints (account_id, created_at, id);

CREATE TABLE webhook_deliveries (
  id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  origin TEXT NOT NULL,
  status TEXT NOT NULL,
  failures INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER,
  lock_id TEXT,
  locked_until INTEGER,
  created_at INTEGER NOT NULL,
  settled_at INTEGER
);
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (account_id, next_attempt_at, id) WHERE next_attempt_at IS NOT NULL AND locked_until IS NULL;
CREATE INDEX webhook_deliveries_held ON webhook_deliveries (lock_id) WHERE locked_until IS NOT NULL;
CREATE INDEX webhook_deliveries_locked ON webhook_deliveries (locked_until) WHERE locked_until IS NOT NULL;
CREATE INDEX webhook_deliveries_by_endpoint ON webhook_deliveries (endpoint_id, created_at, id);
CREATE INDEX webhook_deliveries_by_account ON webhook_deliveries (account_id, created_at, id);
CREATE INDEX webhook_deliveries_by_event ON webhook_deliveries (event_id);

CREATE TABLE webhook_attempts (
  delivery_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  url TEXT NOT NULL,
  request_headers TEXT NOT NULL,
  response_status INTEGER,
  response_headers TEXT,
  response_body TEXT,
  is_response_cut INTEGER NOT NULL,
  PRIMARY KEY (delivery_id, number)
);

-- The audit trail

CREATE TABLE audit_entries (
  id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL,
  actor_kind TEXT NOT NULL,
  actor_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  detail TEXT,
  request_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  once_key TEXT
);
CREATE INDEX audit_by_account ON audit_entries (account_id, id);
CREATE INDEX audit_by_kind ON audit_entries (account_id, kind, id);
CREATE INDEX audit_by_actor ON audit_entries (account_id, actor_id, id);
CREATE UNIQUE INDEX audit_once ON audit_entries (once_key) WHERE once_key IS NOT NULL;

CREATE TABLE name_rules (
  account_id TEXT PRIMARY KEY NOT NULL,
  name_key TEXT NOT NULL,
  keeps_names INTEGER NOT NULL DEFAULT false,
  name_days INTEGER NOT NULL DEFAULT 30,
  changed_at INTEGER
);

CREATE TABLE deletion_records (
  media_id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL,
  first_media_id TEXT,
  name_digest TEXT NOT NULL,
  name TEXT,
  name_until INTEGER,
  media_type TEXT NOT NULL,
  file_size_bytes INTEGER NOT NULL,
  source_sha256 TEXT,
  output_sha256 TEXT,
  uploaded_at INTEGER NOT NULL,
  deleted_at INTEGER NOT NULL,
  actor_kind TEXT NOT NULL,
  actor_id TEXT NOT NULL,
  request_id TEXT NOT NULL
);
CREATE INDEX deletion_records_by_account ON deletion_records (account_id, deleted_at, media_id);
CREATE INDEX deletion_records_by_name ON deletion_records (account_id, name_digest);
CREATE INDEX deletion_records_by_request ON deletion_records (account_id, request_id);
CREATE INDEX deletion_records_by_time ON deletion_records (deleted_at);
CREATE INDEX deletion_records_with_names ON deletion_records (name_until) WHERE name_until IS NOT NULL;

-- Comparisons of the bucket's objects with the media records

CREATE TABLE reconciliations (
  id TEXT PRIMARY KEY NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER,
  cursor TEXT NOT NULL,
  objects_checked INTEGER NOT NULL DEFAULT 0,
  bytes_checked INTEGER NOT NULL DEFAULT 0,
  records_checked INTEGER NOT NULL DEFAULT 0,
  objects_without_record INTEGER NOT NULL DEFAULT 0,
  records_without_object INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX reconciliations_by_time ON reconciliations (started_at);

CREATE TABLE reconciliation_findings (
  reconciliation_id TEXT NOT NULL REFERENCES reconciliations (id) ON DELETE CASCADE,
  object_key TEXT NOT NULL,
  kind TEXT NOT NULL,
  PRIMARY KEY (reconciliation_id, object_key)
);

-- Triggers keep counts and sums in the transaction that changes the rows they count, so they cannot drift from them.

-- Counts an account's media by status and type.
CREATE TRIGGER media_counts_on_insert AFTER INSERT ON media
BEGIN
  INSERT INTO media_counts (account_id, status, media_type, total)
  VALUES (NEW.account_id, NEW.status, NEW.media_type, 1)
  ON CONFLICT (account_id, status, media_type) DO UPDATE SET total = total + 1;
END;

CREATE TRIGGER media_counts_on_update AFTER UPDATE OF status ON media WHEN OLD.status <> NEW.status
BEGIN
  UPDATE media_counts SET total = total - 1
  WHERE account_id = OLD.account_id AND status = OLD.status AND media_type = OLD.media_type;
  INSERT INTO media_counts (account_id, status, media_type, total)
  VALUES (NEW.account_id, NEW.status, NEW.media_type, 1)
  ON CONFLICT (account_id, status, media_type) DO UPDATE SET total = total + 1;
END;

CREATE TRIGGER media_counts_on_delete AFTER DELETE ON media
BEGIN
  UPDATE media_counts SET total = total - 1
  WHERE account_id = OLD.account_id AND status = OLD.status AND media_type = OLD.media_type;
END;

-- Quota is reserved when a media item is queued. It becomes usage when the item is completed, and is released otherwise.
CREATE TRIGGER usage_on_queued AFTER UPDATE OF status ON media
WHEN OLD.status = 'pending' AND NEW.status = 'queued'
BEGIN
  INSERT INTO usage (account_id, period_start, media_type, used_units, reserved_units)
  VALUES (NEW.account_id, NEW.period_start, NEW.media_type, 0, NEW.quota_units)
  ON CONFLICT (account_id, period_start, media_type) DO UPDATE SET reserved_units = reserved_units + NEW.quota_units;
END;

CREATE TRIGGER usage_on_completed AFTER UPDATE OF status ON media
WHEN OLD.status IN ('queued', 'processing') AND NEW.status = 'completed'
BEGIN
  UPDATE usage SET used_units = used_units + NEW.quota_units, reserved_units = reserved_units - OLD.quota_units
  WHERE account_id = NEW.account_id AND period_start = NEW.period_start AND media_type = NEW.media_type;
END;

CREATE TRIGGER usage_on_given_up AFTER UPDATE OF status ON media
WHEN OLD.status IN ('queued', 'processing') AND NEW.status IN ('failed', 'quota_exceeded')
BEGIN
  UPDATE usage SET reserved_units = reserved_units - OLD.quota_units
  WHERE account_id = NEW.account_id AND period_start = NEW.period_start AND media_type = NEW.media_type;
END;

CREATE TRIGGER usage_on_deleted AFTER DELETE ON media
WHEN OLD.status IN ('queued', 'processing')
BEGIN
  UPDATE usage SET reserved_units = reserved_units - OLD.quota_units
  WHERE account_id = OLD.account_id AND period_start = OLD.period_start AND media_type = OLD.media_type;
END;

-- A video that turns out longer than its container said reserves more quota while it is processed.
CREATE TRIGGER usage_on_requoted AFTER UPDATE OF quota_units ON media
WHEN OLD.status = 'processing' AND NEW.status = 'processing' AND OLD.quota_units <> NEW.quota_units
BEGIN
  UPDATE usage SET reserved_units = reserved_units + NEW.quota_units - OLD.quota_units
  WHERE account_id = NEW.account_id AND period_start = NEW.period_start AND media_type = NEW.media_type;
END;

-- Creates a delivery for each subscribed endpoint in the transaction that writes the event, so no event is lost. Delivery IDs are
-- UUIDs version 7 (RFC 9562 §5.7) of the event's time, like all IDs of the service.
CREATE TRIGGER webhook_deliveries_on_event AFTER INSERT ON events
BEGIN
  INSERT INTO webhook_deliveries (id, account_id, endpoint_id, event_id, origin, status, next_attempt_at, created_at)
  SELECT
    'dlv_' || substr(printf('%012x', NEW.created_at), 1, 8) || '-' || substr(printf('%012x', NEW.created_at), 9, 4)
      || '-7' || substr(lower(hex(randomblob(2))), 2) || '-' || substr('89ab', 1 + abs(random() % 4), 1)
      || substr(lower(hex(randomblob(2))), 2) || '-' || lower(hex(randomblob(6))),
    NEW.account_id, webhook_endpoints.id, NEW.id, CASE WHEN NEW.endpoint_id IS NULL THEN 'event' ELSE 'test' END,
    'pending', NEW.created_at, NEW.created_at
  FROM webhook_endpoints
  WHERE webhook_endpoints.account_id = NEW.account_id AND webhook_endpoints.disabled_at IS NULL
    AND (webhook_endpoints.id = NEW.endpoint_id OR (NEW.endpoint_id IS NULL AND EXISTS (
      SELECT 1 FROM json_each(webhook_endpoints.event_kinds) WHERE json_each.value = NEW.kind)));
END;

-- When an endpoint is disabled, its pending deliveries fail. They can be resent by hand.
CREATE TRIGGER webhook_deliveries_on_disabled AFTER UPDATE OF disabled_at ON webhook_endpoints
WHEN OLD.disabled_at IS NULL AND NEW.disabled_at IS NOT NULL
BEGIN
  UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL, settled_at = NEW.disabled_at
  WHERE endpoint_id = NEW.id AND status = 'pending';
END;

CREATE TRIGGER webhook_deliveries_on_endpoint_deleted AFTER DELETE ON webhook_endpoints
BEGIN
  DELETE FROM webhook_deliveries WHERE endpoint_id = OLD.id;
END;

CREATE TRIGGER webhook_deliveries_on_event_deleted AFTER DELETE ON events
BEGIN
  DELETE FROM webhook_deliveries WHERE event_id = OLD.id;
END;

CREATE TRIGGER webhook_attempts_on_delivery_deleted AFTER DELETE ON webhook_deliveries
BEGIN
  DELETE FROM webhook_attempts WHERE delivery_id = OLD.id;
END;

-- Deletes an event of deleted media once its last delivery has ended. The event of the deletion itself contains no `media` object,
-- only the media ID, so it stays.
CREATE TRIGGER events_of_deleted_media AFTER UPDATE OF status ON webhook_deliveries
WHEN OLD.status = 'pending' AND NEW.status <> 'pending'
BEGIN
  DELETE FROM events WHERE id = NEW.event_id AND endpoint_id IS NULL AND json_extract(payload, '$.media') IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM media WHERE media.id = events.media_id)
    AND NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE event_id = NEW.event_id AND status = 'pending');
END;

-- Counts the media that each account completed or failed per day.
CREATE TRIGGER usage_days_on_completed AFTER UPDATE OF status ON media
WHEN OLD.status IN ('queued', 'processing') AND NEW.status = 'completed'
BEGIN
  INSERT INTO usage_days (account_id, day, media_type, completed, failed, units, processing_ms)
  VALUES (NEW.account_id, date(coalesce(NEW.processed_at, NEW.created_at) / 1000, 'unixepoch'), NEW.media_type, 1, 0, NEW.quota_units,
    coalesce(NEW.processed_at - NEW.created_at, 0))
  ON CONFLICT (account_id, day, media_type) DO UPDATE SET completed = completed + 1,
    units = units + excluded.units, processing_ms = processing_ms + excluded.processing_ms;
END;

CREATE TRIGGER usage_days_on_failed AFTER UPDATE OF status ON media
WHEN OLD.status IN ('queued', 'processing') AND NEW.status = 'failed'
BEGIN
  INSERT INTO usage_days (account_id, day, media_type, completed, failed, units, processing_ms)
  VALUES (NEW.account_id, date(coalesce(NEW.failed_at, NEW.created_at) / 1000, 'unixepoch'), NEW.media_type, 0, 1, 0, 0)
  ON CONFLICT (account_id, day, media_type) DO UPDATE SET failed = failed + 1;
END;

-- Counts an account's waiting and running jobs per queue. A video counts as running only while it is planned, which is as long as it
-- has a lease of its own; after that its tasks count instead.
CREATE TRIGGER account_turns_on_media_inserted AFTER INSERT ON media
WHEN NEW.status IN ('queued', 'processing')
BEGIN
  INSERT INTO account_turns (queue, account_id, waiting, running)
  VALUES (CASE NEW.media_type WHEN 'image' THEN 'images' ELSE 'videos' END, NEW.account_id,
    NEW.status = 'queued', NEW.status = 'processing' AND NEW.lease_expires_at IS NOT NULL)
  ON CONFLICT (queue, account_id) DO UPDATE SET waiting = waiting + excluded.waiting, running = running + excluded.running;
END;

CREATE TRIGGER account_turns_on_media_updated AFTER UPDATE OF status, lease_expires_at ON media
WHEN (OLD.status = 'queued') <> (NEW.status = 'queued')
  OR (OLD.status = 'processing' AND OLD.lease_expires_at IS NOT NULL)
    <> (NEW.status = 'processing' AND NEW.lease_expires_at IS NOT NULL)
BEGIN
  INSERT INTO account_turns (queue, account_id, waiting, running)
  VALUES (CASE NEW.media_type WHEN 'image' THEN 'images' ELSE 'videos' END, NEW.account_id,
    (NEW.status = 'queued') - (OLD.status = 'queued'),
    (NEW.status = 'processing' AND NEW.lease_expires_at IS NOT NULL)
      - (OLD.status = 'processing' AND OLD.lease_expires_at IS NOT NULL))
  ON CONFLICT (queue, account_id) DO UPDATE SET waiting = waiting + excluded.waiting, running = running + excluded.running;
END;

CREATE TRIGGER account_turns_on_media_deleted AFTER DELETE ON media
WHEN OLD.status IN ('queued', 'processing')
BEGIN
  UPDATE account_turns SET waiting = waiting - (OLD.status = 'queued'),
    running = running - (OLD.status = 'processing' AND OLD.lease_expires_at IS NOT NULL)
  WHERE queue = CASE OLD.media_type WHEN 'image' THEN 'images' ELSE 'videos' END AND account_id = OLD.account_id;
END;

CREATE TRIGGER account_turns_on_task_inserted AFTER INSERT ON video_tasks
WHEN NEW.state <> 'done'
BEGIN
  INSERT INTO account_turns (queue, account_id, waiting, running)
  VALUES ('videos', NEW.account_id, NEW.state = 'ready', NEW.state = 'running')
  ON CONFLICT (queue, account_id) DO UPDATE SET waiting = waiting + excluded.waiting, running = running + excluded.running;
END;

CREATE TRIGGER account_turns_on_task_updated AFTER UPDATE OF state ON video_tasks
WHEN OLD.state <> NEW.state
BEGIN
  UPDATE account_turns SET waiting = waiting + (NEW.state = 'ready') - (OLD.state = 'ready'),
    running = running + (NEW.state = 'running') - (OLD.state = 'running')
  WHERE queue = 'videos' AND account_id = NEW.account_id;
END;

CREATE TRIGGER account_turns_on_task_deleted AFTER DELETE ON video_tasks
WHEN OLD.state <> 'done'
BEGIN
  UPDATE account_turns SET waiting = waiting - (OLD.state = 'ready'), running = running - (OLD.state = 'running')
  WHERE queue = 'videos' AND account_id = OLD.account_id;
END;

CREATE TRIGGER account_turns_on_delivery_inserted AFTER INSERT ON webhook_deliveries
WHEN NEW.next_attempt_at IS NOT NULL
BEGIN
  INSERT INTO account_turns (queue, account_id, waiting, running)
  VALUES ('webhooks', NEW.account_id, NEW.locked_until IS NULL, NEW.locked_until IS NOT NULL)
  ON CONFLICT (queue, account_id) DO UPDATE SET waiting = waiting + excluded.waiting, running = running + excluded.running;
END;

CREATE TRIGGER account_turns_on_delivery_updated AFTER UPDATE OF next_attempt_at, locked_until ON webhook_deliveries
WHEN (OLD.next_attempt_at IS NOT NULL AND OLD.locked_until IS NULL)
    <> (NEW.next_attempt_at IS NOT NULL AND NEW.locked_until IS NULL)
  OR (OLD.locked_until IS NULL) <> (NEW.locked_until IS NULL)
BEGIN
  UPDATE account_turns SET
    waiting = waiting + (NEW.next_attempt_at IS NOT NULL AND NEW.locked_until IS NULL)
      - (OLD.next_attempt_at IS NOT NULL AND OLD.locked_until IS NULL),
    running = running + (NEW.locked_until IS NOT NULL) - (OLD.locked_until IS NOT NULL)
  WHERE queue = 'webhooks' AND account_id = NEW.account_id;
END;

CREATE TRIGGER account_turns_on_delivery_deleted AFTER DELETE ON webhook_deliveries
WHEN OLD.next_attempt_at IS NOT NULL OR OLD.locked_until IS NOT NULL
BEGIN
  UPDATE account_turns SET waiting = waiting - (OLD.next_attempt_at IS NOT NULL AND OLD.locked_until IS NULL),
    running = running - (OLD.locked_until IS NOT NULL)
  WHERE queue = 'webhooks' AND account_id = OLD.account_id;
END;

-- These rows are deleted with their media item, whichever statement deletes it.
CREATE TRIGGER media_detections_on_delete AFTER DELETE ON media
BEGIN
  DELETE FROM media_detections WHERE media_id = OLD.id;
END;

CREATE TRIGGER masking_options_on_delete AFTER DELETE ON media
BEGIN
  DELETE FROM masking_options WHERE media_id = OLD.id;
END;

CREATE TRIGGER media_revisions_on_delete AFTER DELETE ON media
BEGIN
  DELETE FROM media_revisions WHERE media_id = OLD.id;
END;

CREATE TRIGGER media_reviews_on_delete AFTER DELETE ON media
BEGIN
  DELETE FROM media_reviews WHERE media_id = OLD.id;
END;

-- When the revision that a review decision created fails, nothing was redacted, so the media item waits for review again.
CREATE TRIGGER media_reviews_on_failed_result AFTER UPDATE OF status ON media
WHEN NEW.status = 'failed' AND OLD.status <> 'failed'
BEGIN
  UPDATE media_reviews SET state = 'waiting', decided_at = NULL, decided_by = NULL, result_media_id = NULL
  WHERE result_media_id = NEW.id;
END;

-- A review expires when neither the source nor the output is left to look at.
CREATE TRIGGER media_reviews_on_expiry AFTER UPDATE OF source_deleted_at, output_size_bytes ON media
WHEN NEW.status = 'completed' AND NEW.source_deleted_at IS NOT NULL AND NEW.output_size_bytes IS NULL
BEGIN
  UPDATE media_reviews SET state = 'expired' WHERE media_id = NEW.id AND state = 'waiting';
END;

-- A media item and its revisions are versions of one file. The newest completed version is current, or the newest of all while none
-- is completed.
CREATE TRIGGER media_versions_on_revision AFTER INSERT ON media_revisions
BEGIN
  UPDATE media SET current_version_id = nullif(
    (SELECT version.id FROM media AS version
      WHERE version.id = NEW.first_media_id
        OR version.id IN (SELECT media_id FROM media_revisions WHERE first_media_id = NEW.first_media_id)
      ORDER BY version.status = 'completed' DESC, version.created_at DESC, version.id DESC LIMIT 1), id)
  WHERE id = NEW.first_media_id OR id IN (SELECT media_id FROM media_revisions WHERE first_media_id = NEW.first_media_id);
END;

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

-- A deleted media item deletes its row in media_revisions, which recomputes the current version here.
CREATE TRIGGER media_versions_on_revision_deleted AFTER DELETE ON media_revisions
BEGIN
  UPDATE media SET current_version_id = nullif(
    (SELECT version.id FROM media AS version
      WHERE version.id = OLD.first_media_id
        OR version.id IN (SELECT media_id FROM media_revisions WHERE first_media_id = OLD.first_media_id)
      ORDER BY version.status = 'completed' DESC, version.created_at DESC, version.id DESC LIMIT 1), id)
  WHERE id = OLD.first_media_id OR id IN (SELECT media_id FROM media_revisions WHERE first_media_id = OLD.first_media_id);
END;

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
