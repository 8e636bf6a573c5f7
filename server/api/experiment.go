package api

import "time"

// ExperimentScope is where an experiment's arms differ.
type ExperimentScope struct {
	Scene string `json:"scene,omitempty" maxLength:"63" doc:"Scene; * (the default) for all." example:"k2"`
	IDC   string `json:"idc,omitempty" maxLength:"63" doc:"IDC; * (the default) for all." example:"*"`
	App   string `json:"app,omitempty" maxLength:"63" doc:"Application; * (the default) for all." example:"sn"`
	Point string `json:"point,omitempty" maxLength:"63" doc:"Control point; * (the default) for all." example:"recall"`
}

// ExperimentArm is one way to regulate, on a share of the traffic. Blank settings
// leave what holds anyway.
type ExperimentArm struct {
	Name        string  `json:"name" maxLength:"63" doc:"Unique in the experiment." example:"crowd"`
	Share       float64 `json:"share" minimum:"0" maximum:"100" doc:"Per cent of the traffic, in steps of 0.01; at least 1." example:"33.33"`
	Strategy    string  `json:"strategy,omitempty" maxLength:"63" doc:"fixed, central, crowd_rt or external_timeout." example:"crowd_rt"`
	Level       int     `json:"level,omitempty" minimum:"0" maximum:"100" doc:"Of fixed: exact. Else where regulation starts, and its cap." example:"0"`
	AvailableRT string  `json:"available_rt,omitempty" maxLength:"32" doc:"Mean setpoint." example:"8ms"`
}

// ExperimentInput creates or replaces a draft.
type ExperimentInput struct {
	Name     string          `json:"name" maxLength:"63" doc:"Unique." example:"crowd-or-central"`
	Reason   string          `json:"reason" maxLength:"500" doc:"What it is to find out."`
	Scope    ExperimentScope `json:"scope" doc:"Where the arms differ."`
	Measure  ScenePlace      `json:"measure" doc:"Point whose requests tell value, RT and timeouts, in the scope's scene and IDC."`
	Arms     []ExperimentArm `json:"arms" maxItems:"64" doc:"2 to 8; the first is the control."`
	Duration string          `json:"duration" maxLength:"32" doc:"It ends by itself then; 1m to 30 days." example:"24h"`
}

// Experiment is a comparison of arms.
type Experiment struct {
	ID        string          `json:"id" format:"uuid" doc:"UUIDv7."`
	Name      string          `json:"name" doc:"Unique." example:"crowd-or-central"`
	Reason    string          `json:"reason" doc:"What it is to find out."`
	State     string          `json:"state" enum:"draft,running,ended" doc:"Where it stands."`
	Scope     ExperimentScope `json:"scope" doc:"Where the arms differ."`
	Measure   ScenePlace      `json:"measure" doc:"Point whose requests tell value, RT and timeouts."`
	Arms      []ExperimentArm `json:"arms" doc:"The first is the control."`
	Duration  string          `json:"duration" doc:"Planned." example:"24h0m0s"`
	Same      bool            `json:"same" doc:"All arms do the same (A/A)."`
	StartedAt *time.Time      `json:"started_at,omitempty" doc:"When it was started."`
	StartedBy string          `json:"started_by,omitempty" doc:"Who started it."`
	EndsAt    *time.Time      `json:"ends_at,omitempty" doc:"When it ends by itself."`
	EndedAt   *time.Time      `json:"ended_at,omitempty" doc:"When it ended."`
	EndedBy   string          `json:"ended_by,omitempty" doc:"Who ended it."`
	Ending    string          `json:"ending,omitempty" doc:"Why it ended."`
	CreatedBy string          `json:"created_by" doc:"Who wrote it."`
	CreatedAt time.Time       `json:"created_at" doc:"When it was written."`
	UpdatedAt time.Time       `json:"updated_at" doc:"Last change."`
	Version   int64           `json:"version" doc:"As in the ETag."`
}

// ExperimentInterval is an estimate with its 95 % interval.
type ExperimentInterval struct {
	Estimate float64 `json:"estimate" doc:"Best guess."`
	Low      float64 `json:"low" doc:"Lower end."`
	High     float64 `json:"high" doc:"Upper end."`
}

// ExperimentLift compares an arm with the control.
type ExperimentLift struct {
	Metric     string              `json:"metric" enum:"value,rt,timeouts" doc:"Value a request, RT in ms a request that was answered, share of requests that timed out."`
	Lift       *ExperimentInterval `json:"lift,omitempty" doc:"0.02 is 2 %. For one look, at the planned end. Absent where the metric of either arm is not above 0."`
	Anytime    *ExperimentInterval `json:"anytime,omitempty" doc:"The same, valid however often one looks."`
	Difference ExperimentInterval  `json:"difference" doc:"In the metric's unit."`
	Freedom    float64             `json:"freedom" doc:"Degrees of freedom."`
	Verdict    string              `json:"verdict" enum:"better,worse,unclear" doc:"Of the interval that counts now: while it runs the always-valid one, after its planned end the other. Less RT and fewer timeouts are better."`
}

// ExperimentFigures are what an arm did at a point.
type ExperimentFigures struct {
	Requests    int64   `json:"requests" doc:"Requests."`
	Timeouts    int64   `json:"timeouts" doc:"Requests that timed out."`
	Errors      int64   `json:"errors" doc:"Requests that failed."`
	Shed        int64   `json:"shed" doc:"Requests refused before any work."`
	Value       float64 `json:"value" doc:"Value a request."`
	MeanMS      float64 `json:"mean_ms" doc:"Mean RT in ms."`
	P50MS       float64 `json:"p50_ms" doc:"Median RT in ms."`
	P99MS       float64 `json:"p99_ms" doc:"99th percentile of RT in ms."`
	TimeoutRate float64 `json:"timeout_rate" doc:"Share, 0..1."`
	Level       float64 `json:"level" doc:"Mean level, weighted by requests."`
}

// ExperimentArmResult is one arm, measured.
type ExperimentArmResult struct {
	Arm     string             `json:"arm" doc:"Name."`
	Bucket  string             `json:"bucket" doc:"Its slices of 10,000." example:"0-3333"`
	Measure ExperimentFigures  `json:"measure" doc:"Where value is read."`
	Scope   *ExperimentFigures `json:"scope,omitempty" doc:"Where the arms differ, if that is one other point."`
	Lifts   []ExperimentLift   `json:"lifts" doc:"Against the control; empty for it, and while there is too little."`
}

// ExperimentPoint is a stretch of time.
type ExperimentPoint struct {
	At    time.Time             `json:"at" doc:"Its start."`
	Arms  []ExperimentFigures   `json:"arms" doc:"By arm, where value is read."`
	Lifts []*ExperimentInterval `json:"lifts" doc:"By arm: lift of value from the start of the experiment to the end of the stretch; null for the control, and while there is too little. Always-valid unless the result is final."`
}

// ExperimentRatio is how traffic divided.
type ExperimentRatio struct {
	Expected []float64 `json:"expected" doc:"Share of each arm, 0..1."`
	Observed []float64 `json:"observed" doc:"Share of the requests, 0..1."`
	Chi2     float64   `json:"chi2" doc:"Pearson's chi-squared of the requests."`
	Design   float64   `json:"design" doc:"Design effect: by how much more arms vary because a user's requests come together."`
	P        float64   `json:"p" doc:"Of chi2 / design."`
	Mismatch bool      `json:"mismatch" doc:"p is below 0.001: do not believe the lifts."`
}

// ExperimentResult is what an experiment found so far.
type ExperimentResult struct {
	Arms      []ExperimentArmResult `json:"arms" doc:"In the order of the experiment."`
	Series    []ExperimentPoint     `json:"series" doc:"By time."`
	Step      string                `json:"step" doc:"Length of a stretch." example:"1m0s"`
	Ratio     *ExperimentRatio      `json:"ratio,omitempty" doc:"Absent while there is too little."`
	Final     bool                  `json:"final" doc:"The planned end came."`
	Overrides []Claim               `json:"overrides" doc:"Claims by hand or of plans that stand above an arm's."`
}

// ExperimentStop ends one.
type ExperimentStop struct {
	Reason string `json:"reason" minLength:"1" maxLength:"500" doc:"Why now."`
}
