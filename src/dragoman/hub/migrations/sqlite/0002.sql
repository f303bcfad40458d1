-- Reply limits, and what expired unread. A hub of version 1 counts neither and harms neither.

CREATE INDEX message_sent ON message (sender, created_at);
ALTER TABLE message ADD COLUMN expired_at INTEGER;
INSERT INTO meta (key, value) VALUES ('oldest_reader', CAST('1' AS BLOB));
