-- +goose Up
CREATE TABLE audit_head (
    id   BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    seq  BIGINT NOT NULL,
    hash TEXT   NOT NULL,
    at   BIGINT NOT NULL
);
INSERT INTO audit_head (id, seq, hash, at) VALUES (1, 0, '', 0);

CREATE TABLE audit_entries (
    seq             BIGINT NOT NULL PRIMARY KEY,
    at              BIGINT NOT NULL,
    actor           TEXT   NOT NULL,
    via             TEXT   NOT NULL,
    verb            TEXT   NOT NULL,
    kind            TEXT   NOT NULL,
    object          TEXT   NOT NULL,
    name            TEXT   NOT NULL,
    app             TEXT   NOT NULL,
    idc             TEXT   NOT NULL,
    reason          TEXT   NOT NULL,
    request_id      TEXT   NOT NULL,
    address         TEXT   NOT NULL,
    idempotency_key TEXT   NOT NULL,
    before_doc      TEXT   NOT NULL,
    after_doc       TEXT   NOT NULL,
    prev_hash       TEXT   NOT NULL,
    hash            TEXT   NOT NULL
);
CREATE UNIQUE INDEX audit_entries_once ON audit_entries (actor, idempotency_key) WHERE idempotency_key <> '';
CREATE INDEX audit_entries_object ON audit_entries (object, seq);
CREATE INDEX audit_entries_at ON audit_entries (at);
-- Entries are only ever added. Whoever can drop the triggers is found out by the chain.
-- +goose StatementBegin
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit log is append-only';
END
$$;
-- +goose StatementEnd
CREATE TRIGGER audit_entries_fixed BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();


CREATE TABLE templates (
    id          TEXT   NOT NULL PRIMARY KEY,
    name        TEXT   NOT NULL,
    description TEXT   NOT NULL,
    tags        TEXT   NOT NULL,
    draft       TEXT   NOT NULL,
    latest      BIGINT NOT NULL,
    version     BIGINT NOT NULL,
    copied_from TEXT   NOT NULL,
    created_by  TEXT   NOT NULL,
    created_at  BIGINT NOT NULL,
    updated_by  TEXT   NOT NULL,
    updated_at  BIGINT NOT NULL
);
CREATE UNIQUE INDEX templates_name ON templates (name);
CREATE INDEX templates_updated ON templates (updated_at, id);

CREATE TABLE template_versions (
    template_id TEXT   NOT NULL,
    number      BIGINT NOT NULL,
    spec        TEXT   NOT NULL,
    hash        TEXT   NOT NULL,
    author      TEXT   NOT NULL,
    reason      TEXT   NOT NULL,
    rolled_back BIGINT NOT NULL,
    at          BIGINT NOT NULL,
    PRIMARY KEY (template_id, number)
);

CREATE TABLE bindings (
    id          TEXT   NOT NULL PRIMARY KEY,
    scene       TEXT   NOT NULL,
    idc         TEXT   NOT NULL,
    app         TEXT   NOT NULL,
    point       TEXT   NOT NULL,
    template_id TEXT   NOT NULL,
    pin         BIGINT NOT NULL,
    version     BIGINT NOT NULL,
    created_by  TEXT   NOT NULL,
    created_at  BIGINT NOT NULL,
    updated_by  TEXT   NOT NULL,
    updated_at  BIGINT NOT NULL
);
CREATE UNIQUE INDEX bindings_selector ON bindings (scene, idc, app, point);
CREATE INDEX bindings_template ON bindings (template_id);

CREATE TABLE claims (
    id          TEXT   NOT NULL PRIMARY KEY,
    field       TEXT   NOT NULL,
    scene       TEXT   NOT NULL,
    idc         TEXT   NOT NULL,
    app         TEXT   NOT NULL,
    point       TEXT   NOT NULL,
    bucket      TEXT   NOT NULL,
    level       BIGINT NOT NULL,
    duration    BIGINT NOT NULL,
    strategy    TEXT   NOT NULL,
    number      DOUBLE PRECISION NOT NULL,
    template    TEXT   NOT NULL,
    pin         BIGINT NOT NULL,
    source      BIGINT NOT NULL,
    origin      TEXT   NOT NULL,
    author      TEXT   NOT NULL,
    reason      TEXT   NOT NULL,
    start_at    BIGINT NOT NULL,
    end_at      BIGINT NOT NULL,
    created_at  BIGINT NOT NULL,
    released_at BIGINT NOT NULL,
    release_by  TEXT   NOT NULL,
    version     BIGINT NOT NULL
);
CREATE INDEX claims_scope ON claims (app, idc, point);
CREATE INDEX claims_span ON claims (start_at, end_at);

CREATE TABLE journal_head (
    id       BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    epoch    BIGINT NOT NULL,
    revision BIGINT NOT NULL,
    at       BIGINT NOT NULL
);
INSERT INTO journal_head (id, epoch, revision, at) VALUES (1, 0, 0, 0);

CREATE TABLE shifts (
    revision BIGINT NOT NULL PRIMARY KEY,
    epoch    BIGINT NOT NULL,
    app      TEXT   NOT NULL,
    idc      TEXT   NOT NULL,
    at       BIGINT NOT NULL,
    hash     TEXT   NOT NULL,
    cause    TEXT   NOT NULL,
    claims   TEXT   NOT NULL,
    orders   TEXT   NOT NULL,
    basis    TEXT   NOT NULL
);
CREATE INDEX shifts_scope ON shifts (app, idc, at, revision);
CREATE INDEX shifts_version ON shifts (epoch, revision);

CREATE TABLE level_tables (
    hash TEXT NOT NULL PRIMARY KEY,
    body TEXT NOT NULL
);

CREATE TABLE leases (
    name       TEXT   NOT NULL PRIMARY KEY,
    holder     TEXT   NOT NULL,
    epoch      BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE TABLE agents (
    instance TEXT   NOT NULL PRIMARY KEY,
    app      TEXT   NOT NULL,
    idc      TEXT   NOT NULL,
    seen_at  BIGINT NOT NULL,
    banned   TEXT   NOT NULL,
    body     TEXT   NOT NULL
);
CREATE INDEX agents_scope ON agents (app, idc);

-- +goose Down
DROP TABLE agents;
DROP TABLE leases;
DROP TABLE level_tables;
DROP TABLE shifts;
DROP TABLE journal_head;
DROP TABLE claims;
DROP TABLE bindings;
DROP TABLE template_versions;
DROP TABLE templates;
DROP TABLE audit_entries;
DROP TABLE audit_head;
DROP FUNCTION refuse_audit_change;
