package control

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/template"
)

// Limits of claims.
const (
	MaxReason = 500 // bytes
	// MaxHold bounds a manual claim: an override is a bridge, not a setting.
	MaxHold = 30 * 24 * time.Hour
	// MinSetpoint and MaxSetpoint bound available RT, timeout and target.
	MinSetpoint = time.Millisecond
	MaxSetpoint = time.Minute
)

func (s Scope) fields() [5]string { return [5]string{s.Scene, s.IDC, s.App, s.Point, s.Bucket} }

var scopeNames = [5]string{"scene", "idc", "app", "point", "bucket"}

// Specificity is the number of fields that are not Any, 0..5.
func (s Scope) Specificity() int {
	n := 0
	for _, f := range s.fields() {
		if f != gear.Any && f != "" {
			n++
		}
	}
	return n
}

// Matches reports whether the scope covers a place. A place whose scene is Any
// (the default of all scenes) is covered only by scopes of any scene; the same
// holds for the other fields.
func (s Scope) Matches(place Scope) bool {
	return covers(s.Scene, place.Scene) && covers(s.IDC, place.IDC) && covers(s.App, place.App) &&
		covers(s.Point, place.Point) && covers(s.Bucket, place.Bucket)
}

// Meets reports whether some place lies in both scopes.
func (s Scope) Meets(o Scope) bool {
	a, b := s.fields(), o.fields()
	for i := range a {
		if orAny(a[i]) != gear.Any && orAny(b[i]) != gear.Any && a[i] != b[i] {
			return false
		}
	}
	return true
}

// covers reports whether a scope's field covers a place's; "" counts as Any.
func covers(field, place string) bool { return field == gear.Any || field == "" || field == place }

// String writes a scope as scene/idc/app/point, with the bucket when there is one.
func (s Scope) String() string {
	f := s.fields()
	for i := range f {
		if f[i] == "" {
			f[i] = gear.Any
		}
	}
	out := strings.Join(f[:4], "/")
	if f[4] != gear.Any {
		out += "/" + f[4]
	}
	return out
}

// place gives the selector of the scope's place for bindings.
func (s Scope) place() template.Selector {
	return template.Selector{Scene: s.Scene, IDC: s.IDC, App: s.App, Point: s.Point}
}

// ValueText writes what the claim sets, for people.
func (c *Claim) ValueText() string {
	switch c.Field {
	case FieldLevel:
		return "level " + strconv.Itoa(c.Level)
	case FieldStrategy:
		return "strategy " + string(c.Strategy)
	case FieldBudget:
		return "budget " + gear.Float(c.Number).Format()
	case FieldBinding:
		if c.Pin == 0 {
			return "template " + c.Template
		}
		return fmt.Sprintf("template %s version %d", c.Template, c.Pin)
	case FieldBucket:
		return "bucket of its own"
	default:
		return string(c.Field) + " " + gear.Duration(c.Duration).Format()
	}
}

// CheckClaim tells everything wrong with a claim that is to be set at now.
func CheckClaim(c *Claim, now time.Time) gear.Problems {
	var out gear.Problems
	bad := func(path, code, format string, args ...any) { out.Add(path, code, fmt.Sprintf(format, args...)) }
	for i, f := range c.Scope.fields() {
		if f != gear.Any && !gear.PlaceName(f) {
			bad("scope."+scopeNames[i], gear.CodeName, "%s wants a name or *, got %q", scopeNames[i], gear.Shown(f))
		}
	}
	checkValue(c, bad)
	if c.Source < SourceEmergency || c.Source == SourceTemplate || c.Source > SourceExperiment {
		bad("source", gear.CodeEnum, "a claim comes from emergency, manual, plan, experiment, preset or feedback, got %q", c.Source)
	}
	if c.Source == SourceEmergency && c.Field != FieldLevel && c.Field != FieldAvailableRT && c.Field != FieldTimeout {
		bad("field", gear.CodeEnum, "emergency only lowers a level, an available_rt or a timeout, not %s", c.Field)
	}
	reason := gear.Param{Name: "reason", Kind: gear.KindString}
	if n := len(c.Reason); n > MaxReason {
		bad("reason", gear.CodeLength, "reason has at most %d bytes, got %d", MaxReason, n)
	} else if x, ok := reason.Check(gear.String(c.Reason)); !ok {
		bad("reason", x.Code, "%s", x.Message)
	} else if strings.TrimSpace(c.Reason) == "" && c.Source == SourceManual {
		bad("reason", gear.CodeRequired, "a manual claim needs a reason")
	}
	checkEnd(c, now, bad)
	return out
}

func checkValue(c *Claim, bad func(path, code, format string, args ...any)) {
	switch c.Field {
	case FieldLevel:
		if c.Level < 1 || c.Level > template.MaxLevels {
			bad("level", gear.CodeRange, "level wants int 1..%d, got %d", template.MaxLevels, c.Level)
		}
	case FieldStrategy:
		if x, ok := gear.CheckStrategy(c.Strategy); !ok {
			bad("strategy", x.Code, "%s", x.Message)
		}
	case FieldAvailableRT, FieldTimeout, FieldTarget:
		p := gear.Param{Name: string(c.Field), Kind: gear.KindDuration, Min: gear.Duration(MinSetpoint), Max: gear.Duration(MaxSetpoint)}
		if x, ok := p.Check(gear.Duration(c.Duration)); !ok {
			bad("duration", x.Code, "%s", x.Message)
		}
		if c.Field == FieldTarget && (c.Scope.Scene == gear.Any || c.Scope.App != gear.Any || c.Scope.Point != gear.Any || c.Scope.Bucket != gear.Any) {
			bad("scope", gear.CodeShape, "a target is of a scene, in one IDC or in all; its scope names no app, point or bucket")
		}
	case FieldBudget:
		if math.IsNaN(c.Number) || math.IsInf(c.Number, 0) || c.Number <= 0 {
			bad("number", gear.CodeRange, "budget wants float above 0, got %s", gear.Float(c.Number).Format())
		}
	case FieldBucket:
		if c.Scope.Bucket == gear.Any {
			bad("scope.bucket", gear.CodeRequired, "a claim that opens a bucket names it")
		}
	case FieldBinding:
		if c.Template == "" {
			bad("template", gear.CodeRequired, "a binding claim needs a template")
		}
		if c.Pin < 0 {
			bad("pin", gear.CodeRange, "pin wants int 0.., got %d", c.Pin)
		}
	default:
		bad("field", gear.CodeEnum, "field wants level, strategy, available_rt, timeout, target_rt, budget, binding or bucket, got %q", gear.Shown(string(c.Field)))
	}
}

func checkEnd(c *Claim, now time.Time, bad func(path, code, format string, args ...any)) {
	start := c.Start
	if start.IsZero() {
		start = now
	}
	switch {
	case c.End.IsZero():
		if c.Source == SourceManual || c.Source == SourceExperiment {
			bad("end", gear.CodeRequired, "a claim by hand or of an experiment needs an end")
		}
	case !c.End.After(now):
		bad("end", gear.CodeRange, "the end must lie in the future, got %s at %s", stamp(c.End), stamp(now))
	case !c.End.After(start):
		bad("end", gear.CodeOrder, "the end %s must come after the start %s", stamp(c.End), stamp(start))
	case c.Source == SourceManual && c.End.Sub(now) > MaxHold:
		bad("end", gear.CodeRange, "a manual claim holds at most 30 days, got until %s", stamp(c.End))
	}
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
