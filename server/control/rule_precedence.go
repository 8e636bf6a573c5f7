package control

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// Outcome is what became of a claim.
type Outcome string

// The outcomes.
const (
	Won     Outcome = "won"
	Lost    Outcome = "lost"
	Lowered Outcome = "lowered" // an emergency claim that caps the winner
)

// Considered is one claim, or the template's own value, that spoke to a field.
type Considered struct {
	Claim   *Claim // nil for the template's own value
	Source  Source
	Value   string
	Outcome Outcome
	Reason  Verdict // why it won or lost
}

// FieldWhy is how one field came to its value.
type FieldWhy struct {
	Field      Field
	Value      string
	Source     Source // that decided it
	Limited    string // "" or what the template's limits did
	Considered []Considered
}

// compareClaims orders claims by precedence, the stronger first. Emergency is
// not among them.
func compareClaims(a, b *Claim) int {
	if a.Source != b.Source {
		return cmp.Compare(a.Source.rank(), b.Source.rank())
	}
	if x, y := a.Scope.Specificity(), b.Scope.Specificity(); x != y {
		return cmp.Compare(y, x)
	}
	if !a.CreatedAt.Equal(b.CreatedAt) {
		return b.CreatedAt.Compare(a.CreatedAt)
	}
	return strings.Compare(b.ID, a.ID)
}

// lostTo words why b lost to a.
func lostTo(a, b *Claim) Verdict {
	switch x, y := a.Scope.Specificity(), b.Scope.Specificity(); {
	case a.Source != b.Source:
		return verdict(belowSource, a.Source, b.Source)
	case x != y:
		return verdict(lessSpecific, y, len(scopeNames), x)
	case !a.CreatedAt.Equal(b.CreatedAt):
		return verdict(olderClaim, clock(b.CreatedAt), clock(a.CreatedAt))
	default:
		return verdict(lesserID)
	}
}

func clock(t time.Time) string { return t.UTC().Format("15:04:05.000") }

// contest is the claims that speak to one field of one place.
type contest struct {
	field     Field
	claims    []*Claim // by precedence
	emergency []*Claim // by id
}

// muster picks the active claims of a field that match a place.
func muster(claims []*Claim, field Field, place Scope) contest {
	c := contest{field: field}
	for _, x := range claims {
		if x.Field != field || !x.Scope.Matches(place) {
			continue
		}
		if x.Source == SourceEmergency {
			c.emergency = append(c.emergency, x)
		} else {
			c.claims = append(c.claims, x)
		}
	}
	slices.SortFunc(c.claims, compareClaims)
	slices.SortFunc(c.emergency, func(a, b *Claim) int { return strings.Compare(a.ID, b.ID) })
	return c
}

// choose lets the strongest claim that fits win; text words a claim's value, fits
// gives a zero or why a claim cannot take effect. own is the template's value, which answers when no claim
// does; it may be "" for none.
func (c contest) choose(own string, text func(*Claim) string, fits func(*Claim) Verdict) (*Claim, FieldWhy) {
	why := FieldWhy{Field: c.field, Value: own, Source: SourceTemplate}
	var winner *Claim
	for _, x := range c.claims {
		k := Considered{Claim: x, Source: x.Source, Value: text(x), Outcome: Lost}
		unfit := fits(x)
		switch {
		case unfit.Code != "":
			k.Reason = unfit
		case winner == nil:
			winner = x
			k.Outcome, k.Reason = Won, verdict(strongest)
			if len(why.Considered) == 0 && len(c.claims) == 1 {
				k.Reason = verdict(onlyClaim)
			}
			why.Value, why.Source = k.Value, x.Source
		default:
			k.Reason = lostTo(winner, x)
		}
		why.Considered = append(why.Considered, k)
	}
	if own != "" {
		k := Considered{Source: SourceTemplate, Value: own, Outcome: Won, Reason: verdict(noClaim)}
		if winner != nil {
			k.Outcome, k.Reason = Lost, verdict(aboveTemplate, winner.Source)
		}
		why.Considered = append(why.Considered, k)
	}
	return winner, why
}

// lower applies the emergency claims to a number that they can only lower; of
// gives a claim's number.
func lower[N cmp.Ordered](c contest, n N, of func(*Claim) N, why *FieldWhy) N {
	lowest := -1
	from := n
	for i, x := range c.emergency {
		if of(x) < n {
			n, lowest = of(x), i
		}
	}
	for i, x := range c.emergency {
		k := Considered{Claim: x, Source: x.Source, Value: x.ValueText(), Outcome: Lost}
		switch {
		case i == lowest:
			k.Outcome, k.Reason = Lowered, verdict(emergencyLowers, from, n)
			why.Value, why.Source = k.Value, SourceEmergency
		case of(x) >= from:
			k.Reason = verdict(emergencyAbove, of(x), from)
		default:
			k.Reason = verdict(emergencyOther)
		}
		why.Considered = append(why.Considered, k)
	}
	return n
}

// anyFirst orders names with Any before all others.
func anyFirst(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == gear.Any:
		return -1
	case b == gear.Any:
		return 1
	}
	return strings.Compare(a, b)
}
