-- +goose Up
CREATE INDEX shifts_at ON shifts (at, revision);
CREATE INDEX claims_ended ON claims (end_at, released_at);

-- When an order set named the table last, so that tables can be dropped with the
-- part of the journal that named them.
ALTER TABLE level_tables ADD COLUMN used_at BIGINT NOT NULL DEFAULT 0;
UPDATE level_tables SET used_at = (SELECT coalesce(max(at), 0) FROM shifts);
CREATE INDEX level_tables_used ON level_tables (used_at);

-- The epoch of the session that the row tells of: an older one does not replace it.
ALTER TABLE agents ADD COLUMN epoch BIGINT NOT NULL DEFAULT 0;
CREATE INDEX agents_banned ON agents (instance) WHERE banned <> '';

-- What controllers tell each other. It is of the moment: whoever finds it gone
-- writes it again, so it needs no log.
CREATE UNLOGGED TABLE replicas (
    name    TEXT   NOT NULL PRIMARY KEY,
    boot    TEXT   NOT NULL,
    seq     BIGINT NOT NULL,
    beat_at BIGINT NOT NULL
) WITH (fillfactor = 50);
CREATE UNLOGGED TABLE replica_parts (
    replica TEXT   NOT NULL,
    topic   TEXT   NOT NULL,
    name    TEXT   NOT NULL,
    seq     BIGINT NOT NULL,
    body    BYTEA  NOT NULL,
    PRIMARY KEY (replica, topic, name)
) WITH (fillfactor = 50);

-- +goose Down
DROP TABLE replica_parts;
DROP TABLE replicas;
DROP INDEX agents_banned;
ALTER TABLE agents DROP COLUMN epoch;
DROP INDEX level_tables_used;
ALTER TABLE level_tables DROP COLUMN used_at;
DROP INDEX claims_ended;
DROP INDEX shifts_at;
