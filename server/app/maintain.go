package app

import (
	"context"
	"fmt"
	"os"

	"github.com/allspark/allspark/server/config"
	"github.com/allspark/allspark/server/restapi"
	"github.com/allspark/allspark/server/store"
)

// Migrate brings the schema up to this build and tells the versions before and
// after. Controllers do the same at their start; this is for those who migrate in
// a step of its own.
func Migrate(ctx context.Context, cfg config.Config) (from, to int64, err error) {
	if err := os.MkdirAll(cfg.DataDir, 0o700); err != nil {
		return 0, 0, fmt.Errorf("make data directory: %w", err)
	}
	db, err := store.Open(ctx, cfg.DSN())
	if err != nil {
		return 0, 0, fmt.Errorf("open database: %w", err)
	}
	defer db.Close()
	if from, _, err = db.SchemaVersion(ctx); err != nil {
		return 0, 0, fmt.Errorf("read schema version: %w", err)
	}
	if err := db.Migrate(ctx); err != nil {
		return from, from, err
	}
	to, _, err = db.SchemaVersion(ctx)
	return from, to, err
}

// OpenAPI gives the document of the REST API.
func OpenAPI() ([]byte, error) { return restapi.OpenAPI() }
