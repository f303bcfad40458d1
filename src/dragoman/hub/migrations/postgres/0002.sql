-- Reply limits, and what expired unread; as `../sqlite/0002.sql`.

CREATE INDEX message_sent ON message (sender, created_at);
ALTER TABLE message ADD COLUMN expired_at bigint;
INSERT INTO meta (key, value) VALUES ('oldest_reader', '1');
