package api

import "time"

// RehearsalInput says on which day a plan is rehearsed.
type RehearsalInput struct {
	Day        string    `json:"day,omitempty" enum:"conversation,code,generated" default:"conversation" doc:"Who comes: a recorded trace (conversation or code), or users drawn by the seed."`
	Peak       float64   `json:"peak,omitempty" minimum:"1" maximum:"10" default:"5" doc:"How high the peak is, in times of the load the engine is made for."`
	PeakAt     time.Time `json:"peak_at,omitzero" required:"false" doc:"When it comes; the next whole hour of the plan's zone after its first step by default: 23:56 is followed by midnight."`
	Seed       int64     `json:"seed,omitempty" minimum:"0" maximum:"1000000" doc:"The same seed brings the same users; 1 by default."`
	Occurrence string    `json:"occurrence,omitempty" maxLength:"32" doc:"Which; the next by default."`
	Reason     string    `json:"reason,omitempty" maxLength:"500" doc:"Why; kept in the audit log."`
}

// Rehearsal is a plan played on the engine model, with it and without it.
type Rehearsal struct {
	ID          string           `json:"id" doc:"UUIDv7."`
	Plan        string           `json:"plan" doc:"Name of the plan." example:"double-11"`
	Epoch       int64            `json:"epoch" doc:"Of the plan when it was rehearsed; another one now means that the plan was changed since."`
	State       string           `json:"state" enum:"running,done,failed" doc:"Ask again while it runs: it takes seconds."`
	Problem     string           `json:"problem,omitempty" doc:"Why it failed."`
	Occurrence  string           `json:"occurrence" doc:"That was played." example:"2026-11-10T23:56:00"`
	Day         string           `json:"day" doc:"conversation, code or generated."`
	Peak        float64          `json:"peak" doc:"Times of the load the engine is made for."`
	PeakAt      time.Time        `json:"peak_at" doc:"When the peak comes."`
	Seed        int64            `json:"seed" doc:"Of the users."`
	Machines    int              `json:"machines" doc:"Modelled machines of each app in each IDC."`
	From        time.Time        `json:"from" doc:"Start of the stretch that was played."`
	To          time.Time        `json:"to" doc:"Its end."`
	StepMS      int64            `json:"step_ms" doc:"Distance of samples." example:"5000"`
	CreatedBy   string           `json:"created_by" doc:"Who asked."`
	CreatedAt   time.Time        `json:"created_at" doc:"When."`
	Reason      string           `json:"reason,omitempty" doc:"Why."`
	TookMS      int64            `json:"took_ms" doc:"Wall time it took; 0 while it runs."`
	With        *RehearsalTotals `json:"with,omitempty" doc:"Of the whole stretch, under the plan; absent until it is done."`
	Without     *RehearsalTotals `json:"without,omitempty" doc:"The same users without the plan."`
	Marks       []RehearsalMark  `json:"marks" doc:"Where steps start and end."`
	NotPlayed   []string         `json:"not_played" doc:"What the model has no counterpart of, in words. What the plan says there is not in the figures."`
	PlanChanged bool             `json:"plan_changed" doc:"Whether the plan is another one by now."`
}

// RehearsalTotals are the figures of a whole rehearsal.
type RehearsalTotals struct {
	Requests     int64   `json:"requests" doc:"That came."`
	Value        float64 `json:"value" doc:"Earned, as a share of what full answers to everybody would have earned."`
	TimeoutRate  float64 `json:"timeout_rate" doc:"Share of requests that timed out, failed or were refused."`
	RTMeanMS     float64 `json:"rt_mean_ms" doc:"End to end; a timeout counts as the timeout."`
	RTP99MS      float64 `json:"rt_p99_ms" doc:"End to end."`
	CPU          float64 `json:"cpu" doc:"Mean share of cores busy, of the app that is busiest."`
	CPUMax       float64 `json:"cpu_max" doc:"Its highest sample."`
	HeavyMinutes float64 `json:"heavy_minutes" doc:"Minutes in which the work done fell below half of what the ordinary gears do."`
}

// RehearsalMark is a start or an end on the time axis.
type RehearsalMark struct {
	At   time.Time `json:"at" doc:"Instant."`
	Step string    `json:"step" doc:"Step."`
	Ends bool      `json:"ends" doc:"It ends then."`
}

// RehearsalDetail is a rehearsal with its time series: columns of equal length,
// one sample a step from from on.
type RehearsalDetail struct {
	Rehearsal
	At      []time.Time      `json:"at" doc:"End of each sample; empty until it is done."`
	Load    []float64        `json:"load" doc:"What came, in times of the load the engine is made for."`
	Curve   *RehearsalCurve  `json:"curve,omitempty" doc:"Under the plan."`
	Control *RehearsalCurve  `json:"control,omitempty" doc:"The same users without it."`
	Points  []RehearsalPoint `json:"points" doc:"Every point that is turned."`
}

// RehearsalCurve is the engine end to end over time.
type RehearsalCurve struct {
	QPS         []float64 `json:"qps" doc:"Requests a second that were answered in time."`
	RTMS        []float64 `json:"rt_ms" doc:"Mean RT."`
	RTP99MS     []float64 `json:"rt_p99_ms" doc:"99th percentile."`
	CPU         []float64 `json:"cpu" doc:"Share of cores busy, of the app that is busiest over the whole stretch without the plan."`
	Value       []float64 `json:"value" doc:"Earned, as a share of what full answers would have earned."`
	TimeoutRate []float64 `json:"timeout_rate" doc:"Share lost."`
	Work        []float64 `json:"work" doc:"Mean work of the points, beside their ordinary gears."`
}

// RehearsalPoint is a point over time, over all IDCs and scenes.
type RehearsalPoint struct {
	App          string    `json:"app" doc:"Application." example:"sn"`
	Point        string    `json:"point" doc:"Control point." example:"recall"`
	RTMS         []float64 `json:"rt_ms" doc:"Its own mean RT under the plan."`
	Level        []float64 `json:"level" doc:"Mean level under the plan."`
	ControlRTMS  []float64 `json:"control_rt_ms" doc:"Mean RT without it."`
	ControlLevel []float64 `json:"control_level" doc:"Mean level without it."`
}

// RehearsalComparison sets what a rehearsal foretold against what was measured
// when the plan ran, minute by minute.
type RehearsalComparison struct {
	ID       string          `json:"id" doc:"The rehearsal."`
	From     time.Time       `json:"from" doc:"Start of the stretch, moved to when the plan ran."`
	To       time.Time       `json:"to" doc:"Its end, or now."`
	Ran      bool            `json:"ran" doc:"Whether a step of the occurrence fired; nothing is compared before."`
	Coverage float64         `json:"coverage" doc:"Share of the minutes that history knows."`
	At       []time.Time     `json:"at" doc:"Start of each minute."`
	Lines    []RehearsalLine `json:"lines" doc:"End to end first, then point by point."`
}

// RehearsalLine is one quantity, foretold and measured.
type RehearsalLine struct {
	Metric        string     `json:"metric" enum:"qps,rt_ms,timeout_rate,value,cpu,level" doc:"What; value is per request, beside its mean over the stretch."`
	App           string     `json:"app" doc:"Application."`
	Point         string     `json:"point" doc:"Control point; of the point in front: end to end."`
	Predicted     []*float64 `json:"predicted" doc:"A minute each; null where unknown."`
	Actual        []*float64 `json:"actual" doc:"The same of history."`
	MeanPredicted *float64   `json:"mean_predicted,omitempty" doc:"Over minutes known to both."`
	MeanActual    *float64   `json:"mean_actual,omitempty" doc:"The same."`
	Error         *float64   `json:"error,omitempty" doc:"Mean |actual - predicted| beside the mean predicted."`
}

// PlanWarLog is what happened around a plan, from the journal and the audit log.
type PlanWarLog struct {
	Plan       string        `json:"plan" doc:"Name."`
	Purpose    string        `json:"purpose,omitempty" doc:"What for."`
	Zone       string        `json:"zone" doc:"Of its local times."`
	State      string        `json:"state" doc:"How it stands."`
	Owner      string        `json:"owner" doc:"Who decides."`
	Executor   string        `json:"executor" doc:"Who is at the controls."`
	ApprovedBy string        `json:"approved_by,omitempty" doc:"Who approved it."`
	Glass      string        `json:"glass,omitempty" doc:"Approved in a freeze by this leave."`
	Steps      []PlanWarStep `json:"steps" doc:"What became of every step, by start."`
	Lines      []PlanWarLine `json:"lines" doc:"Oldest first."`
	Truncated  bool          `json:"truncated" doc:"There was more than is shown."`
}

// PlanWarStep is what became of a step.
type PlanWarStep struct {
	Occurrence string `json:"occurrence" doc:"Which."`
	Step       string `json:"step" doc:"Step."`
	LateMS     *int64 `json:"late_ms,omitempty" doc:"When the controllers fired it, after its start."`
	PlanRun
}

// PlanWarLine is one entry of the log.
type PlanWarLine struct {
	At       time.Time `json:"at" doc:"When."`
	Source   string    `json:"source" enum:"audit,journal" doc:"Who did something, or what control ordered."`
	Who      string    `json:"who" doc:"Person, token or loop."`
	What     string    `json:"what" doc:"In words."`
	App      string    `json:"app,omitempty" doc:"Of an order."`
	IDC      string    `json:"idc,omitempty" doc:"Of an order."`
	Revision int64     `json:"revision,omitempty" doc:"Of an order; opens the change."`
}

// PlanTimeline is the steps of all plans in a stretch of time, for a Gantt chart.
type PlanTimeline struct {
	From  time.Time          `json:"from" doc:"Start."`
	To    time.Time          `json:"to" doc:"End."`
	Now   time.Time          `json:"now" doc:"Reference time."`
	Items []PlanTimelineItem `json:"items" doc:"By start."`
	More  bool               `json:"more" doc:"There are others; ask for a shorter stretch."`
}

// PlanTimelineItem is one bar.
type PlanTimelineItem struct {
	Plan  string `json:"plan" doc:"Name of the plan."`
	State string `json:"state" enum:"draft,approved,held,stopped,done" doc:"Of the plan."`
	PlanStep
	Conflicts []PlanConflict `json:"conflicts" doc:"Where it meets other plans and standing manual claims."`
}
