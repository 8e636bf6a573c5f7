package profile

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/allocation"
	"github.com/allspark/allspark/server/audit"
)

// Source says where a profile comes from.
type Source string

// The sources.
const (
	Uploaded Source = "uploaded"
	Learned  Source = "learned"
)

// MaxAge is after how long a profile counts as stale, by source.
var MaxAge = map[Source]time.Duration{Uploaded: 30 * 24 * time.Hour, Learned: 24 * time.Hour}

// Key says what a profile is of.
type Key struct {
	App, Point string
	Scene      string // gear.Any for all scenes
	Table      string // hash of the level table; "" when the uploader did not say
}

// String names the key for people.
func (k Key) String() string {
	return gear.Shown(k.App) + "/" + gear.Shown(k.Point) + " in " + gear.Shown(k.Scene)
}

// Profile is what the levels of a point cost and earn.
type Profile struct {
	ID string
	Key
	Template        string // for people; "" when unknown
	TemplateVersion int
	Source          Source
	Classes         []allocation.Class
	Levels          []Level   // level 1 first
	MeasuredAt      time.Time // when the newest of the data was measured
	Version         int64     // ETag
	CreatedBy       string
	CreatedAt       time.Time
	UpdatedBy       string
	UpdatedAt       time.Time
}

// Level is one level.
type Level struct {
	RT      [][]allocation.Quantile // by class; ms
	Work    float64
	Effect  float64
	Output  float64 // 0: not counted
	Cap     float64 // 0: the output stands for it
	Samples int64   // requests measured; 0 when filled in or not told
}

// Samples is how many requests the profile was measured on.
func (p *Profile) Samples() (n int64) {
	for i := range p.Levels {
		n += p.Levels[i].Samples
	}
	return n
}

// Age is how old the data is.
func (p *Profile) Age(now time.Time) time.Duration { return max(now.Sub(p.MeasuredAt), 0) }

// Stale tells whether the profile no longer says what is true, and why. table is
// the hash of the level table in force; "" when nobody knows.
func (p *Profile) Stale(table string, now time.Time) (bool, string) {
	if p.Table != "" && table != "" && p.Table != table {
		return true, "it was measured with another level table"
	}
	if age, most := p.Age(now), MaxAge[p.Source]; most > 0 && age > most {
		return true, fmt.Sprintf("it is %s old; %s ones are good for %s", age.Round(time.Hour), p.Source, most)
	}
	return false, ""
}

// Check finds what is wrong with a profile.
func (p *Profile) Check() gear.Problems {
	var out gear.Problems
	for _, f := range [...]struct{ path, v string }{{"app", p.App}, {"point", p.Point}, {"scene", p.Scene}} {
		if !gear.PlaceName(f.v) && !(f.path == "scene" && f.v == gear.Any) {
			out.Add(f.path, gear.CodeName, fmt.Sprintf("%q is not a name", gear.Shown(f.v)))
		}
	}
	if p.Source != Uploaded && p.Source != Learned {
		out.Add("source", gear.CodeEnum, "source wants uploaded or learned")
	}
	if n := len(p.Levels); n == 0 || n > gear.MaxLevels {
		out.Add("levels", gear.CodeLength, fmt.Sprintf("a profile wants 1 to %d levels, got %d", gear.MaxLevels, n))
	}
	if n := len(p.Classes); n == 0 || n > allocation.MaxClasses {
		out.Add("classes", gear.CodeLength, fmt.Sprintf("a profile wants 1 to %d load classes, got %d", allocation.MaxClasses, n))
		return out
	}
	total := 0.0
	for i, c := range p.Classes {
		if !(c.Share >= 0) || math.IsInf(c.Share, 0) {
			out.Add(fmt.Sprintf("classes[%d].share", i), gear.CodeRange, fmt.Sprintf("the share of class %q is %g, not a share", gear.Shown(c.Name), c.Share))
		}
		total += c.Share
	}
	if math.Abs(total-1) > 1e-6 {
		out.Add("classes", gear.CodeRange, fmt.Sprintf("the shares of the load classes add up to %g, not to 1", total))
	}
	for l := range p.Levels {
		p.checkLevel(l, &out)
	}
	return out
}

func (p *Profile) checkLevel(l int, out *gear.Problems) {
	v := &p.Levels[l]
	path := fmt.Sprintf("levels[%d]", l)
	if len(v.RT) == 0 {
		out.Add(path, gear.CodeGap, fmt.Sprintf("level %d is missing", l+1))
		return
	}
	if len(v.RT) != len(p.Classes) {
		out.Add(path+".rt", gear.CodeShape, fmt.Sprintf("level %d has %d distributions for %d classes", l+1, len(v.RT), len(p.Classes)))
		return
	}
	for c, qs := range v.RT {
		checkQuantiles(path+".rt", fmt.Sprintf("level %d, class %s", l+1, gear.Shown(p.Classes[c].Name)), qs, out)
	}
	for _, x := range [...]struct {
		what string
		v    float64
		low  float64
	}{{"work", v.Work, 0}, {"effect", v.Effect, math.Inf(-1)}, {"output", v.Output, 0}, {"cap", v.Cap, 0}} {
		if !(x.v >= x.low) || math.IsInf(x.v, 0) {
			out.Add(path+"."+x.what, gear.CodeRange, fmt.Sprintf("the %s at level %d is %g", x.what, l+1, x.v))
		}
	}
	if l > 0 && v.cap() < p.Levels[l-1].cap() {
		out.Add(path+".cap", gear.CodeOrder, fmt.Sprintf("the cap falls from level %d to %d", l, l+1))
	}
	if v.Samples < 0 {
		out.Add(path+".samples", gear.CodeRange, fmt.Sprintf("level %d has %d samples", l+1, v.Samples))
	}
}

func checkQuantiles(path, at string, qs []allocation.Quantile, out *gear.Problems) {
	if len(qs) == 0 {
		out.Add(path, gear.CodeRequired, at+": there are no samples, and nothing has no percentile")
		return
	}
	lastQ, lastMS := math.Inf(-1), 0.0
	for _, q := range qs {
		switch {
		case !(q.Q >= 0 && q.Q <= 1):
			out.Add(path, gear.CodeRange, fmt.Sprintf("%s: %g is not a quantile", at, q.Q))
		case math.IsNaN(q.MS) || math.IsInf(q.MS, 0):
			out.Add(path, gear.CodeFinite, fmt.Sprintf("%s: the RT is %g", at, q.MS))
		case q.MS < 0:
			out.Add(path, gear.CodeRange, fmt.Sprintf("%s: the RT is negative, %g ms", at, q.MS))
		case q.MS > allocation.MaxTarget:
			out.Add(path, gear.CodeRange, fmt.Sprintf("%s: the RT is %g ms, above %d", at, q.MS, allocation.MaxTarget))
		case q.Q <= lastQ:
			out.Add(path, gear.CodeOrder, at+": the quantiles do not rise")
		case q.MS < lastMS:
			out.Add(path, gear.CodeOrder, fmt.Sprintf("%s: the RT falls to %g ms at quantile %g", at, q.MS, q.Q))
		default:
			lastQ, lastMS = q.Q, q.MS
			continue
		}
		return
	}
}

// Warnings are what is allowed and rarely meant.
func (p *Profile) Warnings() gear.Problems {
	var out gear.Problems
	for l := 1; l < len(p.Levels); l++ {
		a, b := &p.Levels[l-1], &p.Levels[l]
		if b.Effect < a.Effect {
			out.Add(fmt.Sprintf("levels[%d].effect", l), gear.CodeMonotonic, fmt.Sprintf("the effect falls from %g at level %d to %g at level %d", a.Effect, l, b.Effect, l+1))
		}
		if x, y := p.MeanRT(l-1), p.MeanRT(l); y < x {
			out.Add(fmt.Sprintf("levels[%d].rt", l), gear.CodeMonotonic, fmt.Sprintf("the mean RT falls from %.2f ms at level %d to %.2f ms at level %d", x, l, y, l+1))
		}
		if b.Work < a.Work {
			out.Add(fmt.Sprintf("levels[%d].work", l), gear.CodeMonotonic, fmt.Sprintf("the work falls from %g at level %d to %g at level %d", a.Work, l, b.Work, l+1))
		}
	}
	return out
}

// MeanRT is the mean of level index l over all classes, ms.
func (p *Profile) MeanRT(l int) float64 {
	m := 0.0
	for c, qs := range p.Levels[l].RT {
		m += p.Classes[c].Share * allocation.FromQuantiles(qs).Mean()
	}
	return m
}

func (l *Level) cap() float64 {
	if l.Cap > 0 {
		return l.Cap
	}
	return l.Output
}

// AsPoint gives the profile as a point of an allocation with the given classes,
// which are the profile's own, or any when the profile knows only one.
func (p *Profile) AsPoint(classes []allocation.Class) (allocation.Point, gear.Problems) {
	out := allocation.Point{Name: p.App + "/" + p.Point, Feeder: allocation.None}
	var problems gear.Problems
	from := make([]int, len(classes))
	for i, c := range classes {
		if len(p.Classes) > 1 {
			if from[i] = slices.IndexFunc(p.Classes, func(x allocation.Class) bool { return x.Name == c.Name }); from[i] < 0 {
				problems.Add("classes", gear.CodeUnknown, fmt.Sprintf("the profile of %s has no load class %q; the scene's profiles have %s", p.Key, gear.Shown(c.Name), names(classes)))
				return out, problems
			}
		}
	}
	for l := range p.Levels {
		v := &p.Levels[l]
		o := allocation.Level{Work: v.Work, Effect: v.Effect, Output: v.Output, Cap: v.cap()}
		for _, c := range from {
			o.RT = append(o.RT, allocation.FromQuantiles(v.RT[c]))
		}
		out.Levels = append(out.Levels, o)
	}
	return out, nil
}

func names(cs []allocation.Class) string {
	var out []string
	for _, c := range cs {
		out = append(out, gear.Shown(c.Name))
	}
	return strings.Join(out, ", ")
}

// Filter selects profiles; an empty field is any.
type Filter struct {
	App, Point, Scene string
	Source            Source
	After             string // opaque cursor
	Limit             int
}

// Store keeps profiles, one a key and source.
type Store interface {
	// PutProfile writes p under its key and source: a new one when Version is 0,
	// else the next version if Version stands (fault.Stale otherwise).
	PutProfile(ctx context.Context, p *Profile, c audit.Change) error
	GetProfile(ctx context.Context, id string) (*Profile, error)
	// FindProfile gives the profile of exactly this key and source, nil without.
	FindProfile(ctx context.Context, k Key, s Source) (*Profile, error)
	ListProfiles(ctx context.Context, f Filter) (items []*Profile, next string, err error)
	DeleteProfile(ctx context.Context, id string, version int64, c audit.Change) error
}
