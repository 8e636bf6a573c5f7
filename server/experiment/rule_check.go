package experiment

import (
	"fmt"
	"strings"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/template"
)

// Limits of experiments.
const (
	MinArms = 2
	MaxArms = 8
	// MinSlices keeps a block at five slices: below that its users are few.
	MinSlices   = 5 * gear.Blocks
	MinDuration = time.Minute
	// MaxDuration is that of a claim by hand: an experiment is no setting either.
	MaxDuration = control.MaxHold
	maxText     = 500
)

// Check tells everything wrong with an experiment that is to be saved.
func Check(x *Experiment) gear.Problems {
	var out gear.Problems
	bad := func(path, code, format string, args ...any) { out.Add(path, code, fmt.Sprintf(format, args...)) }
	if !gear.PlaceName(x.Name) {
		bad("name", gear.CodeName, "name wants letters, digits, . _ -, at most %d bytes, got %q", gear.MaxName, gear.Shown(x.Name))
	}
	if r := strings.TrimSpace(x.Reason); r == "" {
		bad("reason", gear.CodeRequired, "say what the experiment is to find out")
	} else if len(r) > maxText {
		bad("reason", gear.CodeLength, "reason has at most %d bytes", maxText)
	} else if p, ok := (&gear.Param{Name: "reason", Kind: gear.KindString}).Check(gear.String(r)); !ok {
		bad("reason", p.Code, "%s", p.Message)
	}
	for _, f := range [][2]string{{"scope.scene", x.Scope.Scene}, {"scope.idc", x.Scope.IDC}, {"scope.app", x.Scope.App}, {"scope.point", x.Scope.Point}} {
		if f[1] != gear.Any && !gear.PlaceName(f[1]) {
			bad(f[0], gear.CodeName, "%s wants a name or *, got %q", strings.TrimPrefix(f[0], "scope."), gear.Shown(f[1]))
		}
	}
	if x.Scope.Bucket != gear.Any {
		bad("scope.bucket", gear.CodeShape, "arms are the buckets of an experiment; its scope has none")
	}
	for _, f := range [][2]string{{"measure.app", x.Measure.App}, {"measure.point", x.Measure.Point}} {
		if !gear.PlaceName(f[1]) {
			bad(f[0], gear.CodeName, "%s wants the name of one %s, got %q", f[0], strings.TrimPrefix(f[0], "measure."), gear.Shown(f[1]))
		}
	}
	if x.Duration < MinDuration || x.Duration > MaxDuration {
		bad("duration", gear.CodeRange, "an experiment lasts %s to %s, got %s", gear.Duration(MinDuration).Format(), gear.Duration(MaxDuration).Format(), gear.Duration(x.Duration).Format())
	}
	checkArms(x.Arms, bad)
	return out
}

func checkArms(arms []Arm, bad func(path, code, format string, args ...any)) {
	if n := len(arms); n < MinArms || n > MaxArms {
		bad("arms", gear.CodeLength, "an experiment has %d to %d arms, got %d", MinArms, MaxArms, n)
		return
	}
	total := 0
	names := map[string]int{}
	for i := range arms {
		a, at := &arms[i], fmt.Sprintf("arms[%d]", i)
		if !gear.PlaceName(a.Name) {
			bad(at+".name", gear.CodeName, "name wants letters, digits, . _ -, got %q", gear.Shown(a.Name))
		} else if j, dup := names[a.Name]; dup {
			bad(at+".name", gear.CodeDuplicate, "arm %d is called %s already", j+1, a.Name)
		}
		names[a.Name] = i
		if a.Slices < MinSlices || a.Slices > gear.Slices {
			bad(at+".share", gear.CodeRange, "an arm has %g to 100 %% of the traffic, got %g %%", float64(MinSlices)/100, float64(a.Slices)/100)
		}
		total += a.Slices
		if a.Strategy != "" {
			if p, ok := gear.CheckStrategy(a.Strategy); !ok {
				bad(at+".strategy", p.Code, "%s", p.Message)
			}
		}
		if a.Level < 0 || a.Level > template.MaxLevels {
			bad(at+".level", gear.CodeRange, "level wants int 1..%d, or none, got %d", template.MaxLevels, a.Level)
		}
		if a.Strategy == gear.StrategyFixed && a.Level == 0 {
			bad(at+".level", gear.CodeRequired, "a fixed arm needs the level that it is fixed at")
		}
		if a.AvailableRT != 0 && (a.AvailableRT < control.MinSetpoint || a.AvailableRT > control.MaxSetpoint) {
			bad(at+".available_rt", gear.CodeRange, "available_rt wants 1ms to 1m, got %s", gear.Duration(a.AvailableRT).Format())
		}
	}
	if total > gear.Slices {
		bad("arms", gear.CodeRange, "the arms have %g %% of the traffic together, at most 100 %%", float64(total)/100)
	}
}

// AA tells whether all arms do the same: then what is found is chance, or a fault.
func (x *Experiment) AA() bool {
	for i := range x.Arms {
		a, b := x.Arms[i], x.Arms[0]
		if a.Strategy != b.Strategy || a.Level != b.Level || a.AvailableRT != b.AvailableRT {
			return false
		}
	}
	return true
}
