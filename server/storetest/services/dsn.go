package services

import (
	"net/url"
	"strings"
)

// withDatabase points a given DSN, URL or keywords, at another database.
func withDatabase(dsn, db string) string {
	if u := asURL(dsn); u != nil {
		u.Path = "/" + db
		return u.String()
	}
	return dsn + " dbname=" + db
}

// withParameter adds a connection parameter to a DSN.
func withParameter(dsn, key, value string) string {
	if u := asURL(dsn); u != nil {
		q := u.Query()
		q.Set(key, value)
		u.RawQuery = q.Encode()
		return u.String()
	}
	return dsn + " " + key + "=" + value
}

func asURL(dsn string) *url.URL {
	u, err := url.Parse(dsn)
	if err != nil || !strings.HasPrefix(u.Scheme, "postgres") {
		return nil
	}
	return u
}
