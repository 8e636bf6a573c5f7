package gear

import "unicode/utf8"

// MaxName bounds every name, in bytes.
const MaxName = 63

// ParamName reports whether s is a parameter's or setting's name:
// [a-z][a-z0-9_]{0,62}.
func ParamName(s string) bool {
	if s == "" || len(s) > MaxName || s[0] < 'a' || s[0] > 'z' {
		return false
	}
	for i := 1; i < len(s); i++ {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}

// PlaceName reports whether s names a scene, IDC, app, point, bucket, host or
// template: [A-Za-z0-9][A-Za-z0-9._-]{0,62}. Any is not a name.
func PlaceName(s string) bool {
	if s == "" || len(s) > MaxName || !alnum(s[0]) {
		return false
	}
	for i := 1; i < len(s); i++ {
		if c := s[i]; !alnum(c) && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

func alnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// shownRunes bounds how much of a foreign text a message repeats.
const shownRunes = 40

// Shown makes a foreign text safe to repeat in a message or log line: at most 40
// characters, with control and direction-changing ones replaced by U+FFFD.
func Shown(s string) string {
	out := make([]rune, 0, min(len(s), shownRunes+1))
	for _, r := range s {
		if len(out) == shownRunes {
			return string(out) + "…"
		}
		if r == utf8.RuneError || Inert(r) != r {
			r = utf8.RuneError
		}
		out = append(out, r)
	}
	return string(out)
}

// Inert gives r, or U+FFFD when r could change how a line is read: controls,
// line and paragraph separators, bidirectional overrides.
func Inert(r rune) rune {
	switch {
	case r < 0x20, r >= 0x7f && r <= 0x9f, r == 0x2028, r == 0x2029,
		r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0xfeff:
		return utf8.RuneError
	}
	return r
}

func quoted(s string) string { return `"` + Shown(s) + `"` }
