package api

import (
	"encoding/json"
	"time"
)

// PointState is what a point does now: its order and its live measurements.
type PointState struct {
	PointKey
	External    bool       `json:"external" doc:"A call edge: its handle is a timeout."`
	Order       *Order     `json:"order,omitempty" doc:"The order in force; absent when nothing is bound."`
	Source      string     `json:"source,omitempty" doc:"Where the level comes from: emergency, manual, plan, preset, feedback, template." example:"manual"`
	Live        *Metrics   `json:"live,omitempty" doc:"The last complete second."`
	Recent      *Metrics   `json:"recent,omitempty" doc:"The last ten seconds."`
	Machines    int        `json:"machines" doc:"Connected agents that declare it." example:"3"`
	Reporting   int        `json:"reporting" doc:"Of them, agents heard within the last seconds." example:"3"`
	StaleSince  *time.Time `json:"stale_since,omitempty" doc:"When it was last heard of, if that is too long ago."`
	OverrideEnd *time.Time `json:"override_end,omitempty" doc:"End of the manual claim that decides, if one does."`
}

// Order is what agents are told to do at a point.
type Order struct {
	Scene           string             `json:"scene" doc:"Scene or *." example:"k2"`
	Point           string             `json:"point" doc:"Control point." example:"recall"`
	Bucket          string             `json:"bucket" doc:"Bucket or *." example:"*"`
	Level           int                `json:"level" doc:"Start and cap for crowd_rt, exact otherwise." example:"3"`
	MinLevel        int                `json:"min_level" doc:"Floor." example:"1"`
	MaxLevel        int                `json:"max_level" doc:"Ceiling." example:"10"`
	Strategy        string             `json:"strategy" doc:"How the level is regulated." example:"fixed"`
	AvailableRTMS   float64            `json:"available_rt_ms,omitempty" doc:"Mean RT setpoint."`
	TimeoutMS       float64            `json:"timeout_ms,omitempty" doc:"Timeout of an external edge."`
	Pinned          bool               `json:"pinned" doc:"Every crowd is held at the level."`
	Template        string             `json:"template" doc:"Template." example:"sn-recall"`
	TemplateVersion int                `json:"template_version" doc:"Its version." example:"4"`
	Table           string             `json:"table" doc:"Hash of the level table."`
	Parameters      []ParameterSetting `json:"parameters" doc:"Parameter values at this level."`
	Work            float64            `json:"work" doc:"Work factor at this level." example:"0.4"`
}

// ParameterSetting is one parameter's value.
type ParameterSetting struct {
	Name  string          `json:"name" doc:"Parameter." example:"tag_count"`
	Type  string          `json:"type" doc:"Its type." example:"int"`
	Value json.RawMessage `json:"value" doc:"Its value."`
}

// Metrics is what agents measured in a window.
type Metrics struct {
	At        time.Time `json:"at" doc:"End of the window."`
	WindowMS  float64   `json:"window_ms" doc:"Its length." example:"1000"`
	Count     int64     `json:"count" doc:"Requests."`
	QPS       float64   `json:"qps" doc:"Requests a second."`
	RTMeanMS  float64   `json:"rt_mean_ms" doc:"Mean RT."`
	RTP50MS   float64   `json:"rt_p50_ms" doc:"Median RT."`
	RTP95MS   float64   `json:"rt_p95_ms" doc:"95th percentile."`
	RTP99MS   float64   `json:"rt_p99_ms" doc:"99th percentile."`
	Timeouts  int64     `json:"timeouts" doc:"Timed out."`
	Errors    int64     `json:"errors" doc:"Failed."`
	Shed      int64     `json:"shed" doc:"Refused for lack of capacity."`
	LevelMean float64   `json:"level_mean" doc:"Request-weighted mean level."`
	LevelMin  int       `json:"level_min" doc:"Lowest level used."`
	LevelMax  int       `json:"level_max" doc:"Highest level used."`
	CPU       float64   `json:"cpu" doc:"Mean share of cores busy; negative when unknown."`
	Value     float64   `json:"value" doc:"Value earned."`
	Agents    int       `json:"agents" doc:"Agents that reported."`
}

// PointAgent is one agent's share of a point.
type PointAgent struct {
	Instance string  `json:"instance" doc:"Agent."`
	Host     string  `json:"host" doc:"Machine."`
	Metrics  Metrics `json:"metrics" doc:"Its last ten seconds."`
	Held     Version `json:"held" doc:"The order set it reported under."`
	Rung     string  `json:"rung" doc:"Which step of the fallback ladder answers." example:"live"`
	Outlier  bool    `json:"outlier" doc:"Whether its RT is far from the others'."`
}

// Explanation is the chain of claims that decided a point's order.
type Explanation struct {
	PointKey
	At              time.Time    `json:"at" doc:"The second explained."`
	Order           *Order       `json:"order,omitempty" doc:"What was decided."`
	Version         *Version     `json:"version,omitempty" doc:"The shift in force."`
	ShiftAt         *time.Time   `json:"shift_at,omitempty" doc:"When that shift was made."`
	Cause           string       `json:"cause" doc:"What the shift says about itself."`
	Binding         *Binding     `json:"binding,omitempty" doc:"The binding that chose the template; absent when a claim did."`
	Template        string       `json:"template,omitempty" doc:"The template in force." example:"sn-recall"`
	TemplateVersion int          `json:"template_version,omitempty" doc:"Its version." example:"4"`
	Pending         bool         `json:"pending" doc:"The claims of that second were not decided on yet; the steps tell of those before."`
	Steps           []ExplainRow `json:"steps" doc:"For each field every wish, the winner first."`
	Replays         bool         `json:"replays" doc:"Whether deciding again on these claims gave exactly the order that was journalled."`
	Summary         string       `json:"summary" doc:"In one sentence." example:"level 3: manual claim of ann until 22:10 (RT of k2 above target)"`
}

// ExplainRow is one wish and what became of it.
type ExplainRow struct {
	Field       string     `json:"field" doc:"Field." example:"level"`
	Won         bool       `json:"won" doc:"Whether it decided the field."`
	Outcome     string     `json:"outcome" enum:"won,lost,lowered" doc:"won, lost, or lowered: an emergency that caps the winner."`
	Source      string     `json:"source" doc:"Where it comes from." example:"manual"`
	ClaimID     string     `json:"claim_id,omitempty" doc:"The claim; absent for a template's default."`
	Scope       Scope      `json:"scope" doc:"Where it applies; empty for the template's own."`
	Value       string     `json:"value" doc:"What it wishes." example:"level 3"`
	Author      string     `json:"author,omitempty" doc:"Whose."`
	ClaimReason string     `json:"claim_reason,omitempty" doc:"Why its author wished it."`
	Limited     string     `json:"limited,omitempty" doc:"What the template's limits did to the field."`
	Reason      string     `json:"reason" doc:"Why it won or lost, in English." example:"manual stands above template"`
	ReasonCode  string     `json:"reason_code" enum:"above_template,below_source,claim_above,emergency_above,emergency_lowers,emergency_other,less_specific,lesser_id,needs_available_rt,needs_timeout,no_claim,older,only_claim,strongest,unknown_strategy,unpublished" doc:"The same as a code, for who words it."`
	ReasonArgs  []string   `json:"reason_args,omitempty" doc:"What fills the code in, in the order of the sentence."`
	End         *time.Time `json:"end,omitempty" doc:"When it ends."`
}

// App is one application as agents declared it.
type App struct {
	Name     string          `json:"name" doc:"Application." example:"sn"`
	IDCs     []string        `json:"idcs" doc:"Where it runs."`
	Machines int             `json:"machines" doc:"Registered agents." example:"9"`
	Points   []DeclaredPoint `json:"points" doc:"Points its builds declare."`
}

// DeclaredPoint is a point as a build declares it.
type DeclaredPoint struct {
	Name       string      `json:"name" doc:"Control point." example:"recall"`
	External   bool        `json:"external" doc:"A call edge."`
	Builds     []string    `json:"builds" doc:"Builds that declare it so."`
	Parameters []Parameter `json:"parameters" doc:"Its typed parameters."`
}

// Series is one point's history: columns of equal length.
type Series struct {
	PointKey
	StepMS      int64       `json:"step_ms" doc:"Distance of samples: a minute or an hour." example:"60000"`
	At          []time.Time `json:"at" doc:"Start of each sample."`
	Count       []int64     `json:"count" doc:"Requests."`
	QPS         []float64   `json:"qps" doc:"Requests a second."`
	RTMeanMS    []float64   `json:"rt_mean_ms" doc:"Mean RT."`
	RTP50MS     []float64   `json:"rt_p50_ms" doc:"Median RT."`
	RTP95MS     []float64   `json:"rt_p95_ms" doc:"95th percentile."`
	RTP99MS     []float64   `json:"rt_p99_ms" doc:"99th percentile."`
	AvailableRT []float64   `json:"available_rt_ms" doc:"Setpoint; 0 when none."`
	Timeouts    []int64     `json:"timeouts" doc:"Timed out."`
	Errors      []int64     `json:"errors" doc:"Failed."`
	Shed        []int64     `json:"shed" doc:"Refused."`
	Level       []float64   `json:"level" doc:"Request-weighted mean level."`
	LevelMin    []int       `json:"level_min" doc:"Lowest level."`
	LevelMax    []int       `json:"level_max" doc:"Highest level."`
	CPU         []float64   `json:"cpu" doc:"Share of cores busy; negative when unknown."`
	Value       []float64   `json:"value" doc:"Value earned."`
}

// History is a range of series with the changes in it.
type History struct {
	From    time.Time `json:"from" doc:"Start."`
	To      time.Time `json:"to" doc:"End."`
	Series  []Series  `json:"series" doc:"One a point."`
	Changes []Change  `json:"changes" doc:"Shifts of the apps and IDCs concerned, oldest first."`
}
