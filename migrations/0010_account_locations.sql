-- Which of several databases holds an account's data. An account without a row is in the main database, `DB`, and so are all accounts of a
-- service with one database. While an account is moved, the row says where to, which step is next, and how far that step is.
CREATE TABLE account_locations (
  account_id TEXT PRIMARY KEY NOT NULL,
  database_name TEXT NOT NULL,
  move_number INTEGER,
  moving_from TEXT,
  moving_to TEXT,
  step TEXT,
  step_table TEXT,
  step_row INTEGER,
  requested_at INTEGER NOT NULL,
  moved_at INTEGER
);
CREATE INDEX account_locations_moving ON account_locations (requested_at) WHERE step IS NOT NULL;
