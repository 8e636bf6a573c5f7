package cli

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

// session is how a command reaches the controller and what it prints.
type session struct {
	version                     string
	url, token, dataDir, output string
}

// credentials is the file of `login` and of a controller's data directory.
type credentials struct {
	URL   string `json:"url"`
	Token string `json:"token"`
}

// bind adds the flags that every operator's command has.
func (s *session) bind(c *cobra.Command) *cobra.Command {
	f := c.PersistentFlags()
	f.StringVar(&s.url, "url", "", "address of the controller (ALLSPARK_URL)")
	f.StringVar(&s.token, "token", "", "API token (ALLSPARK_TOKEN); the environment is safer")
	f.StringVar(&s.dataDir, "data-dir", "", "data directory of a controller on this machine (ALLSPARK_DATA_DIR; ./data)")
	f.StringVarP(&s.output, "output", "o", "table", "table, json or yaml")
	return c
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// connect finds address and credential. A stored token goes only to the address
// it was stored with.
func (s *session) connect() (*client, error) {
	if s.output != "table" && s.output != "json" && s.output != "yaml" {
		return nil, usagef("-o wants table, json or yaml, got %q", s.output)
	}
	url, token := first(s.url, os.Getenv("ALLSPARK_URL")), first(s.token, os.Getenv("ALLSPARK_TOKEN"))
	if url == "" || token == "" {
		for _, path := range []string{sessionFile(), filepath.Join(first(s.dataDir, os.Getenv("ALLSPARK_DATA_DIR"), "data"), "local.json")} {
			c, err := readCredentials(path)
			if err != nil {
				return nil, err
			}
			if c.Token == "" || url != "" && url != c.URL {
				continue
			}
			url, token = c.URL, first(token, c.Token)
			break
		}
	}
	if url == "" {
		return nil, usagef("no controller is known: give --url and --token, set ALLSPARK_URL and ALLSPARK_TOKEN, run allspark login, or run beside a controller's data directory")
	}
	return newClient(url, token, s.version), nil
}

func readCredentials(path string) (credentials, error) {
	var c credentials
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || path == "" {
		return c, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	if err != nil {
		return c, usagef("credentials in %s cannot be read: %v", path, err)
	}
	return c, nil
}

// sessionFile is where login keeps its session, "" when this user has no home.
func sessionFile() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "allspark", "session.json")
}
