package auth

import "github.com/allspark/allspark/proto/gear"

// ValidName reports whether s is a name of a user or token:
// [a-z0-9][a-z0-9._-]{0,62}.
func ValidName(s string) bool {
	if len(s) == 0 || len(s) > 63 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		alnum := c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
		if !alnum && (i == 0 || c != '.' && c != '_' && c != '-') {
			return false
		}
	}
	return true
}

func validScope(s string) bool { return s == gear.Any || gear.PlaceName(s) }
