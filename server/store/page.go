package store

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/allspark/allspark/server/fault"
)

// Pages are bounded here too: no caller can ask for everything by mistake.
const (
	defaultPage = 100
	maxPage     = 1000
)

func pageSize(n int) int {
	if n <= 0 {
		return defaultPage
	}
	return min(n, maxPage)
}

// cursor is where a page ended: the sort column's value and the id that breaks
// ties, so that rows written meanwhile move nothing already seen.
type cursor struct {
	Sort string `json:"s"`
	Key  string `json:"k"`
	Num  int64  `json:"n,omitempty"`
	ID   string `json:"i"`
}

func (c cursor) encode() string {
	b, err := json.Marshal(c)
	if err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// parseCursor refuses a cursor of another sort order and anything it did not make.
func parseCursor(s, sort string) (c cursor, ok bool, err error) {
	if s == "" {
		return c, false, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	if err != nil || c.Sort != sort {
		return c, false, fault.New(fault.Invalid, "the cursor is not of this list")
	}
	return c, true, nil
}

var likeEscaper = strings.NewReplacer("!", "!!", "%", "!%", "_", "!_", "\x00", "")

// contains makes a LIKE pattern that finds s anywhere; use it with ESCAPE '!'.
func contains(s string) string { return "%" + likeEscaper.Replace(strings.ToLower(s)) + "%" }
