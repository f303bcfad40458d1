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

CREATE TABLE entry (
    number      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    entry_id    text NOT NULL UNIQUE,
    kind        text NOT NULL,
    role_id     text NOT NULL,
    publish_id  text,
    version     bigint NOT NULL,
    title       text NOT NULL,
    text        text NOT NULL,
    tags        text NOT NULL,
    state       text NOT NULL,
    expires_at  bigint,
    created_at  bigint NOT NULL,
    updated_at  bigint NOT NULL,
    day_began   bigint NOT NULL,
    day_changes bigint NOT NULL,
    UNIQUE (role_id, publish_id)
);
CREATE UNIQUE INDEX entry_stall ON entry (role_id) WHERE kind = 'stall';
CREATE INDEX entry_role ON entry (role_id, kind, number);
CREATE INDEX entry_open ON entry (kind, number) WHERE state = 'open';

CREATE TABLE entry_index (
    number bigint PRIMARY KEY,
    tokens text[] NOT NULL
);
CREATE INDEX entry_index_tokens ON entry_index USING gin (tokens) WITH (fastupdate = off);

CREATE TABLE subscription (
    number          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    subscription_id text NOT NULL UNIQUE,
    role_id         text NOT NULL,
    kind            text NOT NULL,
    query           text NOT NULL,
    tags            text NOT NULL,
    tokens          text NOT NULL,
    anchor          text NOT NULL,
    created_at      bigint NOT NULL,
    UNIQUE (role_id, kind, tokens)
);
CREATE INDEX subscription_anchor ON subscription (kind, anchor);

CREATE TABLE block (
    blocker    text NOT NULL,
    blocked    text NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (blocker, blocked)
);
CREATE INDEX block_blocked ON block (blocked, blocker);

ALTER TABLE contact ADD COLUMN delegation_id text;
