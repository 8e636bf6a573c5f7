package gear

import (
	"strconv"
	"strings"
)

// Problem is one thing wrong with one place.
type Problem struct {
	Path    string `json:"path"`    // e.g. gears[2].set.tag_count
	Code    string `json:"code"`    // stable, for programs: type, range, step, enum, required, unknown, duplicate, gap …
	Message string `json:"message"` // for people: "tag_count wants int 10..200, got 250 at level 9"

	// Where the document gives a place, 1-based; 0 otherwise.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
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
		if x.Line > 0 {
			s[i] = "line " + strconv.Itoa(x.Line) + ", column " + strconv.Itoa(x.Column) + ": " + s[i]
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

// MaxProblems bounds how many problems one check lists: a person reads a few,
// and an acknowledgement must stay small.
const MaxProblems = 100

// Add appends a problem. Past MaxProblems only a last one is kept that says
// there are more.
func (p *Problems) Add(path, code, message string) {
	switch n := len(*p); {
	case n < MaxProblems:
		*p = append(*p, Problem{Path: path, Code: code, Message: message})
	case n == MaxProblems:
		*p = append(*p, Problem{Code: CodeMore, Message: "there are more problems; only the first 100 are listed"})
	}
}

// Under gives the problems with their paths below prefix: "default" under
// "parameters[1]" is "parameters[1].default".
func (p Problems) Under(prefix string) Problems {
	out := make(Problems, len(p))
	for i, x := range p {
		x.Path = JoinPath(prefix, x.Path)
		out[i] = x
	}
	return out
}

// JoinPath puts rest below prefix.
func JoinPath(prefix, rest string) string {
	switch {
	case prefix == "":
		return rest
	case rest == "":
		return prefix
	case rest[0] == '[':
		return prefix + rest
	default:
		return prefix + "." + rest
	}
}

// The codes of problems; programs and translations key on them.
const (
	CodeType      = "type"      // another kind of value is wanted
	CodeRange     = "range"     // below the minimum or above the maximum
	CodeStep      = "step"      // between two steps
	CodeEnum      = "enum"      // not one of the values listed
	CodeFinite    = "finite"    // NaN or infinite
	CodeLength    = "length"    // too long, or too many
	CodeText      = "text"      // control characters or broken UTF-8
	CodeRequired  = "required"  // nothing given where something is needed
	CodeUnknown   = "unknown"   // nobody knows a thing of this name
	CodeDuplicate = "duplicate" // given twice
	CodeName      = "name"      // not a well-formed name
	CodeGap       = "gap"       // level 1 is missing
	CodeOrder     = "order"     // not in rising order
	CodeShape     = "shape"     // parts that do not fit each other
	CodeHash      = "hash"      // content and its hash differ
	CodeSyntax    = "syntax"    // the document cannot be read
	CodeMonotonic = "monotonic" // warning: moves against the hint
	CodeMore      = "more"      // the list was cut
)
