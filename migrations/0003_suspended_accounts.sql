-- An account that is suspended, or that is being deleted: the sweeper deletes all that it has, and the account last.
ALTER TABLE accounts ADD COLUMN suspended_at INTEGER;
ALTER TABLE accounts ADD COLUMN suspended_reason TEXT;
ALTER TABLE accounts ADD COLUMN deletion_requested_at INTEGER;
CREATE INDEX accounts_to_delete ON accounts (deletion_requested_at) WHERE deletion_requested_at IS NOT NULL;
