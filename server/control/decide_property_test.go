package control_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/template"
)

// genInput draws a world around ground with many claims.
func genInput(t *rapid.T) control.Input {
	in := ground()
	pick := func(label string, names ...string) string { return rapid.SampledFrom(names).Draw(t, label) }
	for i := range rapid.IntRange(0, 12).Draw(t, "claims") {
		c := level(fmt.Sprintf("c%02d", i), rapid.SampledFrom([]control.Source{
			control.SourceEmergency, control.SourceManual, control.SourcePlan,
			control.SourcePreset, control.SourceFeedback,
		}).Draw(t, "source"), rapid.IntRange(1, 100).Draw(t, "level"), control.Scope{
			Scene: pick("scene", "*", "k2", "home"), IDC: pick("idc", "*", "na61", "ea119"), App: pick("app", "*", "sn", "rank"),
			Point: pick("point", "*", "recall", "edge"), Bucket: pick("bucket", "*", "b1", ""),
		})
		c.CreatedAt = noon.Add(-time.Duration(rapid.IntRange(0, 3).Draw(t, "age")) * time.Minute)
		c.Start = noon.Add(time.Duration(rapid.IntRange(-3, 1).Draw(t, "start")) * time.Minute)
		c.Duration = time.Duration(rapid.IntRange(1, 60000).Draw(t, "ms")) * time.Millisecond
		c.Strategy = rapid.SampledFrom(gear.Strategies()).Draw(t, "strategy")
		c.Template, c.Pin = pick("template", "t1", "t2", "t3", "gone"), rapid.SampledFrom([]int{0, 4, 9}).Draw(t, "pin")
		fields := []control.Field{control.FieldLevel, control.FieldLevel, control.FieldAvailableRT, control.FieldTimeout}
		if c.Source != control.SourceEmergency {
			fields = append(fields, control.FieldStrategy, control.FieldBinding)
		}
		c.Field = rapid.SampledFrom(fields).Draw(t, "field")
		in.Claims = append(in.Claims, c)
	}
	return in
}

func TestDecideHoldsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := genInput(t)
		d := control.Decide(in)

		// Sound, and within the limits of the templates.
		tables := map[string]*gear.LevelTable{}
		for i := range d.Tables {
			tables[d.Tables[i].Hash] = &d.Tables[i]
		}
		require.Empty(t, gear.CheckOrderSet(&d.Set, func(h string) *gear.LevelTable { return tables[h] }))
		require.Len(t, d.Why, len(d.Set.Orders))
		for i, o := range d.Set.Orders {
			require.Equal(t, control.Scope{Scene: o.Scene, IDC: "na61", App: "sn", Point: o.Point, Bucket: o.Bucket}, d.Why[i].Place)
			f, ok := d.Why[i].Field(control.FieldLevel)
			require.True(t, ok)
			require.Equal(t, fmt.Sprintf("level %d", o.Level), f.Value)
		}

		// Independent of the order of claims and bindings, and of memory.
		shuffled := in
		shuffled.Claims = append([]*control.Claim(nil), in.Claims...)
		shuffled.Bindings = append([]*template.Binding(nil), in.Bindings...)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		r.Shuffle(len(shuffled.Claims), func(i, j int) {
			shuffled.Claims[i], shuffled.Claims[j] = shuffled.Claims[j], shuffled.Claims[i]
		})
		r.Shuffle(len(shuffled.Bindings), func(i, j int) {
			shuffled.Bindings[i], shuffled.Bindings[j] = shuffled.Bindings[j], shuffled.Bindings[i]
		})
		require.Equal(t, d, control.Decide(shuffled))

		// Replaying the basis gives the same set.
		replay := control.Input{
			App: in.App, IDC: in.IDC, Points: d.Basis.Points, Scenes: d.Basis.Scenes, Bindings: d.Basis.Bindings,
			Claims: d.Basis.Claims, Now: d.Basis.Now, Versions: map[string]map[int]*template.Version{}, Names: map[string]string{},
		}
		for _, ref := range d.Basis.Versions {
			number := ref.Number
			if ref.Latest {
				number = 0
			}
			if replay.Versions[ref.TemplateID] == nil {
				replay.Versions[ref.TemplateID] = map[int]*template.Version{}
			}
			replay.Versions[ref.TemplateID][number] = in.Versions[ref.TemplateID][number]
			replay.Names[ref.TemplateID] = ref.Name
		}
		require.Equal(t, d, control.Decide(replay))

		// Emergency never raises; every place answers as DecidePlace says.
		calm := in
		calm.Claims = nil
		for _, c := range in.Claims {
			if c.Source != control.SourceEmergency {
				calm.Claims = append(calm.Claims, c)
			}
		}
		var decider control.Decider
		for _, scene := range []string{"*", "k2", "home", "new"} {
			for _, bucket := range []string{"*", "b1", "b9"} {
				for _, point := range []string{"recall", "edge"} {
					with, why := decider.DecidePlace(in, scene, point, bucket)
					without, _ := decider.DecidePlace(calm, scene, point, bucket)
					if without == nil {
						require.Nil(t, with)
						continue
					}
					require.LessOrEqual(t, with.Level, without.Level)
					require.LessOrEqual(t, with.AvailableRT, without.AvailableRT)
					require.LessOrEqual(t, with.Timeout, without.Timeout)
					got := control.Lookup(&d.Set, scene, point, bucket)
					require.NotNil(t, got)
					asked := *with
					asked.Scene, asked.Bucket = got.Scene, got.Bucket
					require.Equal(t, *got, asked, "what agents look up is what Why explains")
					won := 0
					f, _ := why.Field(control.FieldLevel)
					for _, k := range f.Considered {
						require.NotContains(t, k.Reason.String(), "%!", "%v", k.Reason)
						require.NotEmpty(t, k.Reason.String())
						if k.Outcome == control.Won {
							won++
						}
					}
					require.Equal(t, 1, won)
				}
			}
		}
	})
}

func BenchmarkDecide(b *testing.B) {
	in := ground()
	in.Points, in.Bindings = nil, nil
	spec := crowdSpec()
	spec.Levels, spec.Max = 100, 100
	spec.Anchors[1].Level = 100
	for p := range 50 {
		id := fmt.Sprintf("t%d", p%10)
		in.Points = append(in.Points, fmt.Sprintf("p%d", p))
		in.Versions[id] = map[int]*template.Version{0: {TemplateID: id, Number: 1, Spec: spec}}
		in.Bindings = append(in.Bindings, &template.Binding{
			ID: fmt.Sprintf("b%d", p), TemplateID: id, Template: id,
			Selector: template.Selector{Scene: "*", IDC: "*", App: "sn", Point: fmt.Sprintf("p%d", p)},
		})
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		s := everywhere()
		s.Scene = fmt.Sprintf("s%d", i%10)
		if i >= 10 {
			s.Point = fmt.Sprintf("p%d", r.IntN(50))
		}
		in.Claims = append(in.Claims, level(fmt.Sprintf("c%d", i), control.SourceManual, 1+r.IntN(100), s))
	}
	var d control.Decider
	orders := len(d.Decide(in).Set.Orders)
	b.ReportAllocs()
	for b.Loop() {
		d.Decide(in)
	}
	b.ReportMetric(float64(orders), "orders")
}
