package agent

import (
	"time"

	"github.com/allspark/allspark/agent/meter"
	"github.com/allspark/allspark/proto/gear"
)

// levelsEvery is how often levels are reported: profiles are learnt over hours.
const levelsEvery = 30 * time.Second

// Work is what a request cost and earned at a point, as far as the app knows:
// controllers learn from it what the levels of the point are worth.
type Work = meter.Work

// Worked notes what a request cost and earned; call it before End. An app that
// knows none of it need not: then the time a level takes stands for its work.
func (d *Decision) Worked(w Work) {
	if d.cell != nil {
		d.cell.Worked(d.row.Level, d.load, w)
	}
}

// takeLevels gives what was kept by level when it is time. What was measured while
// the level table of a point changed is dropped: a level of one is no level of the
// other.
func (r *reporter) takeLevels(last bool) []gear.LevelReport {
	now := time.Now()
	if !last && now.Sub(r.levels) < levelsEvery {
		return nil
	}
	r.levels = now
	all := r.agent.meter.DrainLevels()
	kept := all[:0]
	for _, x := range all {
		k := [2]string{x.Scene, x.Point}
		if x.Table = r.agent.box.Table(x.Scene, x.Point); x.Table != "" && r.tables[k] == x.Table {
			kept = append(kept, x)
		}
	}
	r.tables = map[[2]string]string{}
	for _, x := range all {
		r.tables[[2]string{x.Scene, x.Point}] = r.agent.box.Table(x.Scene, x.Point)
	}
	return kept
}
