-- The hub's tables on PostgreSQL, as `../sqlite/0001.sql`. Times are milliseconds since the epoch, UTC.

CREATE TABLE meta (
    key   text PRIMARY KEY,
    value bytea NOT NULL
);

CREATE TABLE role (
    role_id          text PRIMARY KEY,
    public_key       text NOT NULL,
    created_at       bigint NOT NULL,
    generation       bigint NOT NULL DEFAULT 0,
    primary_instance text
);

CREATE TABLE used_nonce (
    nonce      text PRIMARY KEY,
    expires_at bigint NOT NULL
);
CREATE INDEX used_nonce_end ON used_nonce (expires_at);

CREATE TABLE session (
    token_hash  text PRIMARY KEY,
    role_id     text NOT NULL REFERENCES role (role_id),
    instance_id text NOT NULL,
    generation  bigint NOT NULL,
    expires_at  bigint NOT NULL
);
CREATE INDEX session_end ON session (expires_at);
CREATE INDEX session_role ON session (role_id, expires_at);

CREATE TABLE contact (
    number     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    contact_id text NOT NULL UNIQUE,
    opener     text NOT NULL,
    peer       text NOT NULL,
    open_id    text NOT NULL,
    created_at bigint NOT NULL,
    closed_at  bigint,
    last_seq   bigint NOT NULL DEFAULT 0,
    UNIQUE (opener, open_id)
) WITH (fillfactor = 80);
CREATE INDEX contact_peer ON contact (peer, number);
CREATE INDEX contact_opener ON contact (opener, number);

CREATE TABLE message (
    number      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    message_id  text NOT NULL UNIQUE,
    contact_id  text NOT NULL,
    seq         bigint NOT NULL,
    sender      text NOT NULL,
    recipient   text NOT NULL,
    reply_id    text NOT NULL,
    digest      text NOT NULL,
    text        text NOT NULL,
    packet      text,
    complete    smallint NOT NULL,
    created_at  bigint NOT NULL,
    not_before  bigint NOT NULL DEFAULT 0,
    lease_token text,
    acked_at    bigint,
    UNIQUE (sender, reply_id),
    UNIQUE (contact_id, seq)
) WITH (fillfactor = 80);
CREATE INDEX message_waiting ON message (recipient, number) WHERE acked_at IS NULL;
CREATE INDEX message_open ON message (contact_id, recipient) WHERE acked_at IS NULL;

CREATE TABLE lease (
    lease_token text PRIMARY KEY,
    role_id     text NOT NULL,
    generation  bigint NOT NULL,
    expires_at  bigint NOT NULL,
    cap_at      bigint NOT NULL
);
CREATE INDEX lease_end ON lease (role_id, cap_at);
