-- Why things are hidden: the reasons that an account's masks may carry, `[{"code": …, "text": …}]`, and the default codes by category.
CREATE TABLE account_reasons (
  account_id TEXT PRIMARY KEY NOT NULL,
  reasons TEXT NOT NULL,
  defaults TEXT NOT NULL,
  changed_at INTEGER NOT NULL
);

-- The text of each reason that a photo's detections carry, as it was when they got it: `{code: text}`.
ALTER TABLE media_detections ADD COLUMN reason_texts TEXT;
