package store

import "gorm.io/driver/postgres"

// Enough for every loop and a burst of requests of one replica, few enough that
// a dozen replicas fit into PostgreSQL's default of 100.
const postgresConns = 16

func (d *DB) openPostgres(dsn string) error {
	d.dialect = postgresDialect
	g, err := d.attach(postgres.New(postgres.Config{DSN: dsn}), postgresConns, 4)
	d.w, d.r = g, g
	return err
}
