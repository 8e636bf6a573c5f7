-- +goose Up
-- What people did, newest first, without reading past all that loops did meanwhile.
CREATE INDEX audit_people ON audit_entries (seq) WHERE substr(actor, 1, 7) <> 'system:';

-- +goose Down
DROP INDEX audit_people;
