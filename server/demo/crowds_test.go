package demo

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/template"
)

// publish puts the sample engine's own templates in force, as control would.
func (w *world) publish(t *testing.T) {
	docs := map[string]*template.Document{}
	for _, d := range Templates() {
		docs[d.Name] = d
	}
	var orders []gear.Order
	for _, b := range Bindings() {
		s := docs[b.Template].Spec
		table, err := template.Expand(&s)
		require.NoError(t, err)
		w.controller.AddTable(*table)
		o := gear.Order{
			Scene: gear.Any, Point: b.Selector.Point, Bucket: gear.Any, Table: table.Hash, Strategy: s.Strategy.Kind,
			Level: s.Default, MinLevel: s.Min, MaxLevel: s.Max, Template: b.Template, TemplateVersion: 1,
		}
		for _, x := range s.DefaultSettings(o.Strategy) {
			switch x.Name {
			case gear.SettingAvailableRT:
				o.AvailableRT = x.Value.Duration()
			case gear.SettingTimeout:
				o.Timeout = x.Value.Duration()
			default:
				o.Settings = append(o.Settings, x)
			}
		}
		orders = append(orders, o)
	}
	v := w.controller.Publish(orders...)
	ack, err := w.controller.WaitAck(t.Context(), v)
	require.NoError(t, err)
	require.Empty(t, ack.Problems)
}

// recall is what all machines of sn reported of recall in some seconds.
type recall struct {
	mean           time.Duration
	downgraded, of int64
	heaviest       float64 // work of the heaviest crowd
}

func (w *world) recall(seconds int) (out recall) {
	from := len(w.controller.Reports())
	time.Sleep(time.Duration(seconds) * time.Second)
	var sum time.Duration
	for _, r := range w.controller.Reports()[from:] {
		for _, p := range r.Points {
			if p.Point != "recall" {
				continue
			}
			out.of += p.Count
			sum += p.RTSum
			for _, c := range p.Crowds {
				out.downgraded += c.Downgraded
				out.heaviest = c.Work
			}
		}
	}
	out.mean = sum / time.Duration(max(out.of, 1))
	return out
}

// The recall point of the sample engine, on its real agents, holds its available
// RT of 8 ms when the rate doubles, by downgrading the requests with most tags.
func TestRecallHoldsItsAvailableRTWhenTheRateDoubles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, Config{Seed: 1})
		defer w.stop()
		w.publish(t)
		time.Sleep(120 * time.Second)
		before := w.recall(60)
		require.LessOrEqual(t, before.mean, 8*time.Millisecond)

		require.NoError(t, w.SetRate(80))
		time.Sleep(120 * time.Second)
		after := w.recall(60)
		t.Logf("before %+v, after %+v", before, after)
		require.LessOrEqual(t, after.mean, 8*time.Millisecond)
		require.Greater(t, after.of, before.of*3/2)
		require.Greater(t, float64(after.downgraded)/float64(after.of), float64(before.downgraded)/float64(before.of))
	})
}
