-- +goose Up
-- open_key is the fingerprint while an alert stands, else its id: one of a
-- fingerprint stands at most.
CREATE TABLE alerts (
    id          TEXT   NOT NULL PRIMARY KEY,
    fingerprint TEXT   NOT NULL,
    open_key    TEXT   NOT NULL,
    kind        TEXT   NOT NULL,
    app         TEXT   NOT NULL,
    idc         TEXT   NOT NULL,
    scene       TEXT   NOT NULL,
    point       TEXT   NOT NULL,
    body        TEXT   NOT NULL,
    started_at  BIGINT NOT NULL,
    fired_at    BIGINT NOT NULL,
    resolved_at BIGINT NOT NULL,
    acked_by    TEXT   NOT NULL,
    acked_at    BIGINT NOT NULL,
    notified_at BIGINT NOT NULL,
    version     BIGINT NOT NULL
);
CREATE UNIQUE INDEX alerts_open ON alerts (open_key);
CREATE INDEX alerts_fired ON alerts (fired_at, id);
CREATE INDEX alerts_resolved ON alerts (resolved_at);

CREATE TABLE alert_deliveries (
    alert_id   TEXT   NOT NULL,
    sink_id    TEXT   NOT NULL,
    event      TEXT   NOT NULL,
    attempts   BIGINT NOT NULL,
    next_at    BIGINT NOT NULL,
    sent_at    BIGINT NOT NULL,
    given_up   BIGINT NOT NULL,
    error      TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (alert_id, sink_id, event)
);
CREATE INDEX alert_deliveries_due ON alert_deliveries (sink_id, sent_at, next_at);

CREATE TABLE alert_silences (
    id         TEXT   NOT NULL PRIMARY KEY,
    body       TEXT   NOT NULL,
    start_at   BIGINT NOT NULL,
    end_at     BIGINT NOT NULL,
    created_by TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    version    BIGINT NOT NULL
);
CREATE INDEX alert_silences_end ON alert_silences (end_at);

-- url and secret are secrets: no answer of the API and no audit entry holds them.
CREATE TABLE alert_sinks (
    id         TEXT   NOT NULL PRIMARY KEY,
    name       TEXT   NOT NULL,
    url        TEXT   NOT NULL,
    secret     TEXT   NOT NULL,
    body       TEXT   NOT NULL,
    version    BIGINT NOT NULL,
    created_by TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    updated_by TEXT   NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX alert_sinks_name ON alert_sinks (name);

CREATE TABLE alert_rules (
    kind       TEXT   NOT NULL PRIMARY KEY,
    body       TEXT   NOT NULL,
    version    BIGINT NOT NULL,
    updated_by TEXT   NOT NULL,
    updated_at BIGINT NOT NULL
);

-- +goose Down
DROP TABLE alert_rules;
DROP TABLE alert_sinks;
DROP TABLE alert_silences;
DROP TABLE alert_deliveries;
DROP TABLE alerts;
