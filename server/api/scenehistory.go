package api

import "time"

// SceneHistory is a scene in an IDC over a range: columns of equal length.
type SceneHistory struct {
	From        time.Time          `json:"from" doc:"Start."`
	To          time.Time          `json:"to" doc:"End."`
	StepMS      int64              `json:"step_ms" doc:"Distance of samples: a minute or an hour." example:"60000"`
	At          []time.Time        `json:"at" doc:"Start of each sample, from when the scene was created on."`
	TargetMS    []float64          `json:"target_ms" doc:"What was wished at the end of the sample: a claim's, else the scene's own. Claims are kept at least as long as history by hour."`
	EffectiveMS []float64          `json:"effective_ms" doc:"Target of the RT gear's step then."`
	Gear        []int              `json:"step" doc:"Step of the RT gear then; 1 is the target itself."`
	Steps       []int              `json:"steps" doc:"How many there were."`
	Front       *SceneColumns      `json:"front,omitempty" doc:"As the front end saw it; absent where the caller does not see its app."`
	Nodes       []SceneNodeHistory `json:"nodes" doc:"Of the graph as it is now; only those the caller sees."`
}

// SceneColumns is what was measured at a point, 0 where there was no request.
type SceneColumns struct {
	Count    []int64   `json:"count" doc:"Requests."`
	Timeouts []int64   `json:"timeouts" doc:"Timed out."`
	RTMeanMS []float64 `json:"rt_mean_ms" doc:"Mean RT."`
	RTP50MS  []float64 `json:"rt_p50_ms" doc:"Median RT."`
	RTP95MS  []float64 `json:"rt_p95_ms" doc:"95th percentile."`
	RTP99MS  []float64 `json:"rt_p99_ms" doc:"99th percentile."`
}

// SceneNodeHistory is what was measured at a node.
type SceneNodeHistory struct {
	ID string `json:"id" doc:"Node id."`
	SceneColumns
}
