-- What receivers report of themselves, when they were last heard of, high-water marks, what retention looks for; as
-- `../sqlite/0004.sql`.

CREATE TABLE receiver (
    role_id       text PRIMARY KEY,
    instance_id   text NOT NULL,
    generation    bigint NOT NULL,
    reported_at   bigint NOT NULL,
    version       text NOT NULL,
    mode          text NOT NULL,
    background_at bigint,
    handler_at    bigint,
    handler_same  smallint NOT NULL,
    notifier_at   bigint,
    notifier_same smallint NOT NULL,
    scope_until   bigint,
    may_reply     smallint NOT NULL
);

CREATE TABLE waiting (
    contact_id text NOT NULL,
    role_id    text NOT NULL,
    generation bigint NOT NULL,
    waits_for  text NOT NULL,
    since      bigint NOT NULL,
    PRIMARY KEY (contact_id, role_id)
);
CREATE INDEX waiting_role ON waiting (role_id);

CREATE TABLE pulse (
    role_id    text PRIMARY KEY,
    generation bigint NOT NULL,
    polled_at  bigint NOT NULL
);

CREATE TABLE mark (
    role_id   text NOT NULL,
    grant_id  text NOT NULL,
    name      text NOT NULL,
    ledger_id text NOT NULL,
    n         bigint NOT NULL,
    PRIMARY KEY (role_id, grant_id, name)
);

CREATE INDEX message_expired ON message (contact_id, sender, expired_at) WHERE expired_at IS NOT NULL;
CREATE INDEX lease_cap ON lease (cap_at);
