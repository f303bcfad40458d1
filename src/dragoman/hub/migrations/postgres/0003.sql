-- What roles find and are told; as `../sqlite/0003.sql`.

CREATE TABLE event_head (
    role_id  text PRIMARY KEY,
    last_seq bigint NOT NULL
) WITH (fillfactor = 80);

CREATE TABLE event (
    role_id    text NOT NULL,
    seq        bigint NOT NULL,
    kind       text NOT NULL,
    key        text NOT NULL,
    facts      text NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (role_id, seq),
    UNIQUE (role_id, kind, key)
);
CREATE INDEX event_kind ON event (role_id, kind, seq);
CREATE INDEX event_age ON event (created_at);
