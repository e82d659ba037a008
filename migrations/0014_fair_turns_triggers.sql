-- How many jobs of an account wait in a queue, and how many run. A video that is processed takes a place itself only while it is
-- planned, which is as long as it has a lease of its own; from then on its tasks do.
CREATE TRIGGER account_turns_on_media_inserted AFTER INSERT ON media
WHEN NEW.status IN ('queued', 'processing')
BEGIN
  INSERT INTO account_turns (queue, account_id, waiting, running)
  VALUES (CASE NEW.media_type WHEN 'image' THEN 'images' ELSE 'videos' END, NEW.account_id,
    NEW.status = 'queued', NEW.status = 'processing' AND NEW.lease_expires_at IS NOT NULL)
  ON CONFLICT (queue, account_id) DO UPDATE SET waiting = waiting + excluded.waiting, running = running + excluded.running;
END;
--> statement-breakpoint
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
--> statement-breakpoint
CREATE TRIGGER account_turns_on_media_deleted AFTER DELETE ON media
WHEN OLD.status IN ('queued', 'processing')
BEGIN
  UPDATE account_turns SET waiting = waiting - (OLD.status = 'queued'),
    running = running - (OLD.status = 'processing' AND OLD.lease_expires_at IS NOT NULL)
  WHERE queue = CASE OLD.media_type WHEN 'image' THEN 'images' ELSE 'videos' END AND account_id = OLD.account_id;
END;
--> statement-breakpoint
CREATE TRIGGER account_turns_on_task_inserted AFTER INSERT ON video_tasks
WHEN NEW.state <> 'done'
BEGIN
  INSERT INTO account_turns (queue, account_id, waiting, running)
  VALUES ('videos', NEW.account_id, NEW.state = 'ready', NEW.state = 'running')
  ON CONFLICT (queue, account_id) DO UPDATE SET waiting = waiting + excluded.waiting, running = running + excluded.running;
END;
--> statement-breakpoint
CREATE TRIGGER account_turns_on_task_updated AFTER UPDATE OF state ON video_tasks
WHEN OLD.state <> NEW.state
BEGIN
  UPDATE account_turns SET waiting = waiting + (NEW.state = 'ready') - (OLD.state = 'ready'),
    running = running + (NEW.state = 'running') - (OLD.state = 'running')
  WHERE queue = 'videos' AND account_id = NEW.account_id;
END;
--> statement-breakpoint
CREATE TRIGGER account_turns_on_task_deleted AFTER DELETE ON video_tasks
WHEN OLD.state <> 'done'
BEGIN
  UPDATE account_turns SET waiting = waiting - (OLD.state = 'ready'), running = running - (OLD.state = 'running')
  WHERE queue = 'videos' AND account_id = OLD.account_id;
END;
--> statement-breakpoint
CREATE TRIGGER account_turns_on_delivery_inserted AFTER INSERT ON webhook_deliveries
WHEN NEW.next_attempt_at IS NOT NULL
BEGIN
  INSERT INTO account_turns (queue, account_id, waiting, running)
  VALUES ('webhooks', NEW.account_id, NEW.locked_until IS NULL, NEW.locked_until IS NOT NULL)
  ON CONFLICT (queue, account_id) DO UPDATE SET waiting = waiting + excluded.waiting, running = running + excluded.running;
END;
--> statement-breakpoint
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
--> statement-breakpoint
CREATE TRIGGER account_turns_on_delivery_deleted AFTER DELETE ON webhook_deliveries
WHEN OLD.next_attempt_at IS NOT NULL OR OLD.locked_until IS NOT NULL
BEGIN
  UPDATE account_turns SET waiting = waiting - (OLD.next_attempt_at IS NOT NULL AND OLD.locked_until IS NULL),
    running = running - (OLD.locked_until IS NOT NULL)
  WHERE queue = 'webhooks' AND account_id = OLD.account_id;
END;
--> statement-breakpoint
-- What waits and runs already.
INSERT INTO account_turns (queue, account_id, waiting, running)
SELECT queue, account_id, sum(waiting), sum(running) FROM (
  SELECT CASE media_type WHEN 'image' THEN 'images' ELSE 'videos' END AS queue, account_id,
    status = 'queued' AS waiting, status = 'processing' AND lease_expires_at IS NOT NULL AS running
  FROM media WHERE status IN ('queued', 'processing')
  UNION ALL SELECT 'videos', account_id, state = 'ready', state = 'running' FROM video_tasks WHERE state <> 'done'
  UNION ALL SELECT 'webhooks', account_id, next_attempt_at IS NOT NULL AND locked_until IS NULL, locked_until IS NOT NULL
  FROM webhook_deliveries WHERE next_attempt_at IS NOT NULL OR locked_until IS NOT NULL)
GROUP BY queue, account_id;
