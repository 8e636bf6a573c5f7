package api

import "time"

// QuotaGain is a point of a gain curve.
type QuotaGain struct {
	Quota float64 `json:"quota" doc:"Candidates." example:"100"`
	Gain  float64 `json:"gain" doc:"What ranking that many earns, in the business's unit." example:"0.42"`
}

// QuotaCurve is the gain of one bucket of user value.
type QuotaCurve struct {
	From   float64     `json:"from" doc:"The bucket begins at this user value." example:"0.8"`
	Value  float64     `json:"value" doc:"Worth of one unit of gain in this bucket." example:"1.2"`
	Points []QuotaGain `json:"points" maxItems:"32" doc:"By rising quota."`
}

// QuotaSettings are a group's.
type QuotaSettings struct {
	TotalQuota   float64      `json:"total_quota" doc:"Candidates a window that the machines can bear." example:"200000"`
	Window       string       `json:"window" doc:"Over which total_quota and the sum are taken; a multiple of 100ms." example:"1s"`
	Delay        string       `json:"delay" doc:"Of the loop, from counting to a changed quota." example:"300ms"`
	QMin         float64      `json:"q_min" doc:"Least candidates a request." example:"10"`
	QMax         float64      `json:"q_max" doc:"Most candidates a request." example:"1000"`
	DefaultQuota float64      `json:"default_quota" doc:"Candidates a request without a controller." example:"200"`
	Law          string       `json:"law" enum:"log,linear,dcaf" doc:"log: log domain, velocity form. linear: clamp(PID(e)). dcaf: by gain curves under a price." example:"log"`
	Kp           float64      `json:"kp" doc:"Proportional gain, no unit." example:"0"`
	Ki           float64      `json:"ki" doc:"Integral gain, 1/s; 0 is 1/(3 x (window/2 + delay))." example:"0"`
	Kd           float64      `json:"kd" doc:"Derivative gain, s." example:"0"`
	FeedForward  bool         `json:"feed_forward" doc:"Answer jumps of arrivals at once (log only)."`
	WeightMin    float64      `json:"weight_min" doc:"Least weight of a user." example:"0.5"`
	WeightMax    float64      `json:"weight_max" doc:"Greatest weight of a user." example:"1.5"`
	Normalise    bool         `json:"normalise" doc:"Divide weights by their mean over the group."`
	Watermark    float64      `json:"watermark" doc:"Safe CPU of the machines, 0..1." example:"0.7"`
	FallbackSlew float64      `json:"fallback_slew" doc:"Rise to default_quota without a controller, ln units a second: 0.1 is 10 %." example:"0.1"`
	ReturnSlew   float64      `json:"return_slew" doc:"Rise to the base quota when the controller is back, ln units a second." example:"0.5"`
	Curves       []QuotaCurve `json:"curves,omitempty" maxItems:"16" doc:"Of dcaf, by rising user value."`
}

// QuotaGroupInput creates or replaces a group.
type QuotaGroupInput struct {
	Name        string        `json:"name" minLength:"1" maxLength:"63" doc:"Unique." example:"rank"`
	Description string        `json:"description,omitempty" maxLength:"1000" doc:"For people."`
	Enabled     bool          `json:"enabled" doc:"False: no base quota is sent, agents answer with their defaults."`
	Members     []Selector    `json:"members" minItems:"1" maxItems:"64" doc:"Places whose requests count; app and point are named."`
	Settings    QuotaSettings `json:"settings" doc:"Budget and control."`
	Reason      string        `json:"reason,omitempty" maxLength:"500" doc:"Why."`
}

// QuotaGroup is the machines that share one budget.
type QuotaGroup struct {
	ID          string        `json:"id" format:"uuid" doc:"UUIDv7."`
	Name        string        `json:"name" doc:"Unique." example:"rank"`
	Description string        `json:"description" doc:"For people."`
	Enabled     bool          `json:"enabled" doc:"Whether base quotas are sent."`
	Members     []Selector    `json:"members" doc:"Places whose requests count."`
	Settings    QuotaSettings `json:"settings" doc:"Budget and control."`
	Version     int64         `json:"version" doc:"The ETag." example:"1"`
	CreatedBy   string        `json:"created_by" doc:"Author."`
	CreatedAt   time.Time     `json:"created_at" doc:"When created."`
	UpdatedBy   string        `json:"updated_by" doc:"Last writer."`
	UpdatedAt   time.Time     `json:"updated_at" doc:"When last written."`
}

// QuotaTerms are the parts of the last step.
type QuotaTerms struct {
	P           float64 `json:"p" doc:"Proportional term."`
	I           float64 `json:"i" doc:"Integral term."`
	D           float64 `json:"d" doc:"Derivative term."`
	FeedForward float64 `json:"feed_forward" doc:"Answer to a jump of arrivals."`
	Frozen      bool    `json:"frozen" doc:"The trim rests until the window has forgotten a jump."`
	Bound       int     `json:"bound" doc:"-1 at q_min, 1 at q_max, else 0."`
}

// QuotaCrew is how a group's agents stand.
type QuotaCrew struct {
	Agents    int   `json:"agents" doc:"That speak for the group here." example:"9"`
	Live      int   `json:"live" doc:"With the controller's base quota."`
	Returning int   `json:"returning" doc:"Rising to it after a time without."`
	Fallback  int   `json:"fallback" doc:"Answering by themselves."`
	Capped    int64 `json:"capped" doc:"Requests cut by local caps in the last tick."`
}

// QuotaChoice is the quota of a bucket of user value.
type QuotaChoice struct {
	From  float64 `json:"from" doc:"The bucket begins at this user value."`
	Quota float64 `json:"quota" doc:"Candidates."`
}

// QuotaStatus is how a group stands now.
type QuotaStatus struct {
	State      string        `json:"state" enum:"live,off,lost" doc:"live: base quotas are sent. off: the group is not enabled. lost: none lately, agents fall back."`
	Trouble    string        `json:"trouble,omitempty" doc:"Why it is lost."`
	Decides    bool          `json:"decides" doc:"Whether the replica that answers decides."`
	At         *time.Time    `json:"at,omitempty" doc:"Of the last decision."`
	Epoch      int64         `json:"epoch" doc:"Of the lease it was decided under."`
	Tick       int64         `json:"tick" doc:"Rises with every decision."`
	Base       float64       `json:"base" doc:"Base quota, candidates a request." example:"120.5"`
	Scale      float64       `json:"scale" doc:"Of weights; 1 unless normalised."`
	Lambda     float64       `json:"lambda,omitempty" doc:"Of dcaf: value given up for one candidate."`
	Choices    []QuotaChoice `json:"choices,omitempty" doc:"Of dcaf: quota by user value."`
	Sum        float64       `json:"sum" doc:"Candidates over the window."`
	TotalQuota float64       `json:"total_quota" doc:"The budget it was held against."`
	Error      float64       `json:"error" doc:"1 - sum/total_quota."`
	Terms      QuotaTerms    `json:"terms" doc:"Of the last step."`
	Arrivals   float64       `json:"arrivals" doc:"Requests a second."`
	Consumed   float64       `json:"consumed" doc:"Candidates a second."`
	MeanWeight float64       `json:"mean_weight,omitempty" doc:"Over the window, when weights are normalised."`
	Crew       QuotaCrew     `json:"crew" doc:"Agents."`
	CPU        *float64      `json:"cpu,omitempty" doc:"Mean share of the machines' cores, 0..1."`
	Machines   int           `json:"machines" doc:"Of the group."`
}

// QuotaState is a group and how it stands.
type QuotaState struct {
	QuotaGroup
	Status QuotaStatus `json:"status" doc:"As the replica that answers sees it."`
}

// QuotaPoint is a second, or a minute, of a group.
type QuotaPoint struct {
	At         time.Time `json:"at" doc:"Its beginning."`
	Base       float64   `json:"base" doc:"Mean base quota."`
	BaseMin    float64   `json:"base_min" doc:"Least."`
	BaseMax    float64   `json:"base_max" doc:"Greatest."`
	Sum        float64   `json:"sum" doc:"Mean candidates over the window, as a share of total_quota."`
	SumMax     float64   `json:"sum_max" doc:"Greatest."`
	Arrivals   float64   `json:"arrivals" doc:"Requests a second."`
	Consumed   float64   `json:"consumed" doc:"Candidates a second."`
	P          float64   `json:"p" doc:"What the proportional term moved; by seconds only."`
	I          float64   `json:"i" doc:"What the integral term moved; by seconds only."`
	D          float64   `json:"d" doc:"What the derivative term moved; by seconds only."`
	FF         float64   `json:"feed_forward" doc:"What the feed-forward moved; by seconds only."`
	MeanWeight float64   `json:"mean_weight" doc:"By seconds, when weights are normalised."`
	Agents     float64   `json:"agents" doc:"Mean number of agents."`
	Fallback   float64   `json:"fallback" doc:"Mean share of agents that answered by themselves."`
	Capped     float64   `json:"capped" doc:"Requests cut by local caps; by seconds only."`
	CPU        *float64  `json:"cpu,omitempty" doc:"Mean share of the machines' cores, 0..1."`
}

// QuotaHistory is a group over time.
type QuotaHistory struct {
	Step  string       `json:"step" enum:"second,minute" doc:"Of the points."`
	Items []QuotaPoint `json:"items" doc:"By time."`
}

// QuotaReading is one interval of consumption and CPU.
type QuotaReading struct {
	At       time.Time `json:"at" doc:"Its beginning."`
	Consumed float64   `json:"consumed" doc:"Candidates a second."`
	CPU      float64   `json:"cpu" doc:"Mean share of cores, 0..1."`
}

// QuotaCalibration suggests a budget.
type QuotaCalibration struct {
	OK         bool           `json:"ok" doc:"Whether total_quota may be used."`
	Reason     string         `json:"reason,omitempty" doc:"Why not, or what is doubtful."`
	Stale      bool           `json:"stale" doc:"Machines or build changed since, or the readings are old."`
	TotalQuota float64        `json:"total_quota" doc:"Suggested: candidates a window at the watermark."`
	Margin     float64        `json:"margin" doc:"± of it, two standard errors."`
	Watermark  float64        `json:"watermark" doc:"Safe CPU it is taken at."`
	Idle       float64        `json:"idle" doc:"CPU without any ranking."`
	Slope      float64        `json:"slope" doc:"CPU for one candidate a second."`
	R2         float64        `json:"r2" doc:"Share of CPU's variance that the line explains."`
	Sigma      float64        `json:"sigma" doc:"Standard error of one reading's CPU."`
	Used       int            `json:"used" doc:"Readings used."`
	Readings   []QuotaReading `json:"readings" doc:"Those looked at, by time."`
}

// QuotaSimulationInput asks how settings would do.
type QuotaSimulationInput struct {
	Settings QuotaSettings `json:"settings" doc:"To be tried; nothing is saved."`
	Arrivals []float64     `json:"arrivals,omitempty" maxItems:"900" doc:"Requests for each second; the group's last minutes when left out."`
}

// QuotaSimulated is a tenth of a second.
type QuotaSimulated struct {
	AtMS     int64   `json:"at_ms" doc:"Since the beginning."`
	Arrivals float64 `json:"arrivals" doc:"Requests a second."`
	Base     float64 `json:"base" doc:"Base quota."`
	Sum      float64 `json:"sum" doc:"Candidates over the window, as a share of total_quota."`
}

// QuotaSimulation is the same traffic under the settings in force and under those
// tried.
type QuotaSimulation struct {
	Now   []QuotaSimulated `json:"now" doc:"With the settings in force."`
	Tried []QuotaSimulated `json:"tried" doc:"With those of the request."`
	Yield float64          `json:"yield" doc:"Share of the base quota that a request consumed on average."`
}
