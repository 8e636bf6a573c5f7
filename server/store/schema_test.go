package store_test

import (
	"database/sql"
	"fmt"
	"io/fs"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/migrations"
	"github.com/allspark/allspark/server/store"
	"github.com/allspark/allspark/server/storetest/services"
)

func TestMigrationsHaveEqualNumbersAndNames(t *testing.T) {
	names := func(f fs.FS, dir string) (out []string) {
		entries, err := fs.ReadDir(f, dir)
		require.NoError(t, err)
		last := ""
		for _, e := range entries { // sorted by name
			number, _, ok := strings.Cut(e.Name(), "_")
			require.True(t, ok && len(number) == 5 && number > last, "each number is there once: %s", e.Name())
			last = number
			out = append(out, e.Name())
		}
		return out
	}
	require.Equal(t, names(migrations.Postgres, "postgres"), names(migrations.SQLite, "sqlite"))
}

// kinds maps each database's types to what they hold.
var kinds = map[string]string{
	"bigint": "int", "text": "text", "bytea": "bytes", "boolean": "bool", "double precision": "float",
	"BIGINT": "int", "INTEGER": "int", "TEXT": "text", "BLOB": "bytes", "BOOLEAN": "bool", "DOUBLE": "float",
}

// TestSchemaParity holds the two schemas against each other: tables, columns with
// kind and nullability, and indexes with uniqueness and their columns in order.
func TestSchemaParity(t *testing.T) {
	lite := liteSchema(t, openSQLite(t).SQL())
	post := postSchema(t, openDSN(t, services.Postgres(t)).SQL())
	require.Equal(t, post, lite)
	require.Contains(t, lite, "templates.name text not null")
	require.Contains(t, lite, "templates unique (name)")
	require.Contains(t, lite, "audit_entries unique (actor,idempotency_key) where")
}

func rows(t *testing.T, db *sql.DB, query string, args ...any) (out [][]string) {
	t.Helper()
	rs, err := db.Query(query, args...)
	require.NoError(t, err)
	defer rs.Close()
	cols, err := rs.Columns()
	require.NoError(t, err)
	for rs.Next() {
		row := make([]sql.NullString, len(cols))
		into := make([]any, len(cols))
		for i := range row {
			into[i] = &row[i]
		}
		require.NoError(t, rs.Scan(into...))
		texts := make([]string, len(cols))
		for i := range row {
			texts[i] = row[i].String
		}
		out = append(out, texts)
	}
	require.NoError(t, rs.Err())
	return out
}

func liteSchema(t *testing.T, db *sql.DB) (out []string) {
	for _, x := range rows(t, db, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'goose%'") {
		table := x[0]
		var key []string
		for _, c := range rows(t, db, "SELECT name, type, \"notnull\", pk FROM pragma_table_info(?) ORDER BY pk, cid", table) {
			require.Contains(t, kinds, c[1])
			null := "null"
			if c[2] == "1" {
				null = "not null"
			}
			out = append(out, fmt.Sprintf("%s.%s %s %s", table, c[0], kinds[c[1]], null))
			if c[3] != "0" {
				key = append(key, c[0])
			}
		}
		out = append(out, fmt.Sprintf("%s unique (%s)", table, strings.Join(key, ",")))
		for _, i := range rows(t, db, "SELECT name, \"unique\", partial FROM pragma_index_list(?) WHERE origin = 'c'", table) {
			var cols []string
			for _, c := range rows(t, db, "SELECT name FROM pragma_index_info(?) ORDER BY seqno", i[0]) {
				cols = append(cols, c[0])
			}
			out = append(out, indexText(table, i[1] == "1", cols, i[2] == "1"))
		}
	}
	sort.Strings(out)
	return out
}

func postSchema(t *testing.T, db *sql.DB) (out []string) {
	for _, c := range rows(t, db, `SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
		WHERE table_schema = 'public' AND table_name NOT LIKE 'goose%'`) {
		require.Contains(t, kinds, c[2])
		null := "null"
		if c[3] == "NO" {
			null = "not null"
		}
		out = append(out, fmt.Sprintf("%s.%s %s %s", c[0], c[1], kinds[c[2]], null))
	}
	for _, i := range rows(t, db, `SELECT t.relname, x.indisunique, x.indpred IS NOT NULL,
			(SELECT string_agg(a.attname, ',' ORDER BY k.n) FROM unnest(x.indkey) WITH ORDINALITY AS k(col, n)
			 JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.col)
		FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid JOIN pg_namespace n ON n.oid = t.relnamespace
		WHERE n.nspname = 'public' AND t.relname NOT LIKE 'goose%'`) {
		out = append(out, indexText(i[0], i[1] == "true", strings.Split(i[3], ","), i[2] == "true"))
	}
	sort.Strings(out)
	return out
}

func indexText(table string, unique bool, cols []string, partial bool) string {
	kind, where := "index", ""
	if unique {
		kind = "unique"
	}
	if partial {
		where = " where"
	}
	return fmt.Sprintf("%s %s (%s)%s", table, kind, strings.Join(cols, ","), where)
}

// TestMigratorsTakeTurns starts several replicas on an empty database at once.
func TestMigratorsTakeTurns(t *testing.T) {
	for name, dsn := range map[string]string{
		"sqlite":   "sqlite:" + filepath.Join(t.TempDir(), "new.db"),
		"postgres": services.Postgres(t),
	} {
		t.Run(name, func(t *testing.T) {
			var wg sync.WaitGroup
			errs := make(chan error, 4)
			for range 4 {
				wg.Go(func() {
					db, err := store.Open(t.Context(), dsn)
					if err == nil {
						err = db.Migrate(t.Context())
						_ = db.Close()
					}
					errs <- err
				})
			}
			wg.Wait()
			for range 4 {
				require.NoError(t, <-errs)
			}
			db := openDSN(t, dsn)
			applied, known, err := db.SchemaVersion(t.Context())
			require.NoError(t, err)
			require.Equal(t, known, applied)
			require.GreaterOrEqual(t, known, int64(4))
		})
	}
}
