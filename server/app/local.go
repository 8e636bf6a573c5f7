package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Local is what programs on this machine need to reach the controller: the file
// local.json in the data directory, readable by its owner alone.
type Local struct {
	URL        string `json:"url"`
	Token      string `json:"token"`
	AgentsAddr string `json:"agents_addr"`
	EnrolToken string `json:"enrol_token,omitempty"`
}

const localFile = "local.json"

func readLocal(dir string) (Local, error) {
	var l Local
	b, err := os.ReadFile(filepath.Join(dir, localFile))
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return l, fmt.Errorf("read local credentials: %w", err)
	}
	if json.Unmarshal(b, &l) != nil {
		return Local{}, nil // damaged: new credentials are written over it
	}
	return l, nil
}

// writeLocal replaces the file as a whole, so that a reader never sees half of it.
func writeLocal(dir string, l Local) error {
	b, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return fmt.Errorf("write local credentials: %w", err)
	}
	tmp, err := os.CreateTemp(dir, localFile+".*") // mode 0600
	if err != nil {
		return fmt.Errorf("write local credentials: %w", err)
	}
	_, err = tmp.Write(append(b, '\n'))
	err = errors.Join(err, tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), filepath.Join(dir, localFile))
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
		return fmt.Errorf("write local credentials: %w", err)
	}
	return nil
}
