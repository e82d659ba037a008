-- An event becomes a delivery for each endpoint that wants it, in the transaction that writes the event: from then on
-- it cannot be lost. Ids are UUIDs version 7 (RFC 9562 §5.7) of the event's time, as the service makes them.
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
--> statement-breakpoint
-- What was on its way to an endpoint that is switched off has failed; it can be sent again by hand.
CREATE TRIGGER webhook_deliveries_on_disabled AFTER UPDATE OF disabled_at ON webhook_endpoints
WHEN OLD.disabled_at IS NULL AND NEW.disabled_at IS NOT NULL
BEGIN
  UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL, settled_at = NEW.disabled_at
  WHERE endpoint_id = NEW.id AND status = 'pending';
END;
--> statement-breakpoint
CREATE TRIGGER webhook_deliveries_on_endpoint_deleted AFTER DELETE ON webhook_endpoints
BEGIN
  DELETE FROM webhook_deliveries WHERE endpoint_id = OLD.id;
END;
--> statement-breakpoint
CREATE TRIGGER webhook_deliveries_on_event_deleted AFTER DELETE ON events
BEGIN
  DELETE FROM webhook_deliveries WHERE event_id = OLD.id;
END;
--> statement-breakpoint
CREATE TRIGGER webhook_attempts_on_delivery_deleted AFTER DELETE ON webhook_deliveries
BEGIN
  DELETE FROM webhook_attempts WHERE delivery_id = OLD.id;
END;
