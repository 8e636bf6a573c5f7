package control

import (
	"fmt"
	"maps"
	"slices"
)

// Verdict is why a claim, or the template's own value, won or lost a field: a
// code and what fills it in, so that a console can word it in its reader's language.
type Verdict struct {
	Code string
	Args []string
}

// The codes of verdicts.
const (
	onlyClaim        = "only_claim"
	strongest        = "strongest"
	noClaim          = "no_claim"
	belowSource      = "below_source"
	aboveTemplate    = "above_template"
	lessSpecific     = "less_specific"
	olderClaim       = "older"
	lesserID         = "lesser_id"
	claimAbove       = "claim_above"
	unpublished      = "unpublished"
	needsAvailableRT = "needs_available_rt"
	needsTimeout     = "needs_timeout"
	unknownStrategy  = "unknown_strategy"
	emergencyLowers  = "emergency_lowers"
	emergencyAbove   = "emergency_above"
	emergencyOther   = "emergency_other"
)

var sentences = map[string]string{
	onlyClaim:        "the only claim",
	strongest:        "nothing stronger speaks to it",
	noClaim:          "no claim takes effect",
	belowSource:      "%s stands above %s",
	aboveTemplate:    "%s stands above the template's own value",
	lessSpecific:     "less specific: %s of %s scope fields against %s",
	olderClaim:       "older: set at %s, the winner at %s",
	lesserID:         "set at the same instant; the greater id wins",
	claimAbove:       "a claim stands above bindings",
	unpublished:      "the template has no such published version",
	needsAvailableRT: "%s needs an available RT, and neither template nor claim gives one",
	needsTimeout:     "%s needs a timeout, and neither template nor claim gives one",
	unknownStrategy:  "no such strategy",
	emergencyLowers:  "emergency lowers %s to %s",
	emergencyAbove:   "emergency only lowers, and %s is not below %s",
	emergencyOther:   "another emergency claim goes at least as low",
}

// VerdictCodes lists every code, sorted.
func VerdictCodes() []string { return slices.Sorted(maps.Keys(sentences)) }

// verdict makes one of a code and its arguments.
func verdict(code string, args ...any) Verdict {
	v := Verdict{Code: code}
	for _, a := range args {
		v.Args = append(v.Args, fmt.Sprint(a))
	}
	return v
}

// String says it in English.
func (v Verdict) String() string {
	args := make([]any, len(v.Args))
	for i, a := range v.Args {
		args[i] = a
	}
	return fmt.Sprintf(sentences[v.Code], args...)
}
