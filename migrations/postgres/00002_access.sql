-- +goose Up
CREATE TABLE auth_head (
    id      BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    counter BIGINT NOT NULL
);
INSERT INTO auth_head (id, counter) VALUES (1, 0);

CREATE TABLE users (
    id            TEXT    NOT NULL PRIMARY KEY,
    name          TEXT    NOT NULL,
    display       TEXT    NOT NULL,
    password_hash TEXT    NOT NULL,
    grants        TEXT    NOT NULL,
    disabled      BOOLEAN NOT NULL,
    epoch         BIGINT  NOT NULL,
    version       BIGINT  NOT NULL,
    created_by    TEXT    NOT NULL,
    created_at    BIGINT  NOT NULL,
    updated_by    TEXT    NOT NULL,
    updated_at    BIGINT  NOT NULL,
    last_login    BIGINT  NOT NULL
);
CREATE UNIQUE INDEX users_name ON users (name);

CREATE TABLE tokens (
    id         TEXT   NOT NULL PRIMARY KEY,
    name       TEXT   NOT NULL,
    prefix     TEXT   NOT NULL,
    hash       TEXT   NOT NULL,
    grants     TEXT   NOT NULL,
    expires_at BIGINT NOT NULL,
    created_by TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT NOT NULL,
    revoked_by TEXT   NOT NULL,
    last_used  BIGINT NOT NULL
);
CREATE UNIQUE INDEX tokens_name ON tokens (name);
CREATE UNIQUE INDEX tokens_hash ON tokens (hash);

CREATE TABLE enrol_tokens (
    id         TEXT   NOT NULL PRIMARY KEY,
    name       TEXT   NOT NULL,
    prefix     TEXT   NOT NULL,
    hash       TEXT   NOT NULL,
    app        TEXT   NOT NULL,
    idc        TEXT   NOT NULL,
    expires_at BIGINT NOT NULL,
    created_by TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT NOT NULL,
    revoked_by TEXT   NOT NULL
);
CREATE UNIQUE INDEX enrol_tokens_name ON enrol_tokens (name);
CREATE UNIQUE INDEX enrol_tokens_hash ON enrol_tokens (hash);

CREATE TABLE signing_keys (
    id         TEXT   NOT NULL PRIMARY KEY,
    secret     BYTEA  NOT NULL,
    created_at BIGINT NOT NULL,
    retires_at BIGINT NOT NULL
);

CREATE TABLE revocations (
    jti        TEXT   NOT NULL PRIMARY KEY,
    user_id    TEXT   NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX revocations_expires ON revocations (expires_at);

-- +goose Down
DROP TABLE revocations;
DROP TABLE signing_keys;
DROP TABLE enrol_tokens;
DROP TABLE tokens;
DROP TABLE users;
DROP TABLE auth_head;
