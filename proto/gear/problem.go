package gear

import "strings"

// Problem is one thing wrong with one place.
type Problem struct {
	Path    string `json:"path"`    // e.g. gears[2].set.tag_count
	Code    string `json:"code"`    // stable, for programs: type, range, step, enum, required, unknown, duplicate, gap …
	Message string `json:"message"` // for people: "tag_count wants int 10..200, got 250 at level 9"
}

// Problems is an error that lists everything wrong at once, in path order.
type Problems []Problem

// Error joins the messages on one line.
func (p Problems) Error() string {
	s := make([]string, len(p))
	for i, x := range p {
		s[i] = x.Message
		if x.Path != "" {
			s[i] = x.Path + ": " + x.Message
		}
	}
	return strings.Join(s, "; ")
}

// Err returns p as an error, nil when it is empty.
func (p Problems) Err() error {
	if len(p) == 0 {
		return nil
	}
	return p
}
