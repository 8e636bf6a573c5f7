package lab

import (
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// The apps of the standard model, by index.
const (
	Frontend = iota
	Merger
	SN
	Feature
	ModelApp
	Creative
)

// The points of the standard model, by index. Points above others come first.
const (
	Entry = iota
	Merge
	Recall
	Prerank
	Fetch
	CreativeEdge
	Select
	Rank
	Score
)

// Standard is the display-ads engine of figure 6: a frontend, a merger, a search
// node with three points, and three apps below it, one behind an external edge.
func Standard(machines int) *Model {
	work := func(p int) Step { return Step{Point: p} }
	call := func(e ...Edge) Step { return Step{Point: -1, Calls: e} }
	to := func(app int) Edge { return Edge{App: app, Point: -1} }
	return &Model{
		Machines: machines,
		Noise:    workNoise,
		IDCs:     []string{"sh", "zjk"},
		Scenes: []Scene{
			{Name: "k2", Share: k2Share, First: k2SH, Load: k2Load, Timeout: k2Timeout},
			{Name: "feeds", Share: 1 - k2Share, First: feedsSH, Load: feedsLoad, Timeout: feedsTimeout},
		},
		Apps: []App{
			Frontend: {
				Name: "frontend", Cores: frontendCores, Limit: frontendLimit, Span: Entry,
				Steps: []Step{work(Entry), call(to(Merger))},
			},
			Merger: {
				Name: "merger", Cores: mergerCores, Limit: mergerLimit, Span: -1,
				Steps: []Step{call(to(SN)), work(Merge)},
			},
			SN: {
				Name: "sn", Cores: snCores, Limit: snLimit, Span: -1,
				Steps: []Step{work(Recall), work(Prerank), call(to(Feature), Edge{App: Creative, Point: CreativeEdge}), work(Rank), call(to(ModelApp))},
			},
			Feature:  {Name: "feature", Cores: featureCores, Queue: FIFO, Limit: featureLimit, Span: -1, Steps: []Step{work(Fetch)}},
			ModelApp: {Name: "model", Cores: modelCores, Queue: FIFO, Limit: modelLimit, Span: -1, Steps: []Step{work(Score)}},
			Creative: {Name: "creative", Cores: creativeCores, Queue: FIFO, Limit: creativeLimit, Span: -1, Steps: []Step{work(Select)}},
		},
		Points: standardPoints(),
	}
}

func standardPoints() []Point {
	return []Point{
		Entry: {Name: "entry", App: Frontend, Above: -1, Fixed: entryFixed},
		Merge: {
			Name: "merge", App: Merger, Above: -1, Fixed: mergeFixed, Slope: mergeSlope,
			Weight: mergeWeight, Scale: mergeScale,
			Params: []gear.Param{amount("ads", "ads", 5, 50, 20)},
		},
		Recall: {
			Name: "recall", App: SN, Above: -1, Fixed: recallFixed, PerLoad: recallPerLoad, Slope: recallSlope, IO: recallIO,
			Output: recallOutput, Weight: recallWeight, Scale: recallScale,
			Params: []gear.Param{amount("tag_count", "tags", 10, 200, 100)},
		},
		Prerank: {
			Name: "prerank", App: SN, Above: Recall, Fixed: prerankFixed, PerLoad: prerankPerLoad, Slope: prerankSlope,
			Output: prerankOutput, Weight: prerankWeight, Scale: prerankScale,
			Params: []gear.Param{amount("candidates", "candidates", 50, 1000, 500)},
		},
		Fetch: {
			Name: "fetch", App: Feature, Above: -1, Fixed: fetchFixed, PerLoad: fetchPerLoad, Slope: fetchSlope, IO: fetchIO,
			Weight: fetchWeight, Scale: fetchScale,
			Params: []gear.Param{amount("fetch_docs", "docs", 20, 400, 160)},
		},
		CreativeEdge: {
			Name: "creative_edge", App: SN, Above: -1, External: true,
			Params: []gear.Param{{
				Name: "timeout", Kind: gear.KindDuration, Unit: "ms", Monotonic: gear.MonotonicUp,
				Min: gear.Duration(5 * time.Millisecond), Max: gear.Duration(300 * time.Millisecond), Default: gear.Duration(120 * time.Millisecond),
			}},
		},
		Select: {
			Name: "select", App: Creative, Above: -1, Fixed: selectFixed, PerLoad: selectPerLoad, Slope: selectSlope, IO: selectIO,
			Weight: selectWeight, Scale: selectScale,
			Params: []gear.Param{amount("variants", "variants", 1, 20, 8)},
		},
		Rank: {
			Name: "rank", App: SN, Above: Prerank, Fixed: rankFixed, PerLoad: rankPerLoad, Slope: rankSlope,
			Output: 1, Weight: rankWeight, Scale: rankScale,
			Factor: []float64{rankLightCost, rankBaseCost, rankLargeCost}, Quality: []float64{rankLightQuality, rankBaseQuality, rankLargeQuality},
			Params: []gear.Param{
				amount("candidates", "candidates", 10, 300, 150),
				{Name: "model", Kind: gear.KindEnum, Values: []string{"light", "base", "large"}, Default: gear.Enum("base"), Monotonic: gear.MonotonicUp},
			},
		},
		Score: {
			Name: "score", App: ModelApp, Above: Rank, Multiply: scoreUnit, Fixed: scoreFixed, PerLoad: scorePerLoad, Slope: scoreSlope,
			Weight: scoreWeight, Scale: scoreScale,
			Params: []gear.Param{amount("layers", "layers", 2, 24, 12)},
		},
	}
}

func amount(name, unit string, low, high, def int64) gear.Param {
	return gear.Param{
		Name: name, Kind: gear.KindInt, Unit: unit, Monotonic: gear.MonotonicUp,
		Min: gear.Int(low), Max: gear.Int(high), Default: gear.Int(def),
	}
}

// Network is one call's way there and back inside an IDC.
func Network() time.Duration { return network }
