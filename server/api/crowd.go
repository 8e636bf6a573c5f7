package api

import "time"

// Crowds is what a point's crowd loops did in the last ten seconds, over all
// machines: what the seed design draws as RT distributions by crowd.
type Crowds struct {
	PointKey
	Strategy      string        `json:"strategy" doc:"Of the order in force; crowds exist under crowd_rt." example:"crowd_rt"`
	AvailableRTMS float64       `json:"available_rt_ms" doc:"The mean RT every crowd is held at or under; 0 when none." example:"8"`
	TopLevel      int           `json:"top_level" doc:"The order's level: requests that run below it are downgraded." example:"80"`
	Pinned        bool          `json:"pinned" doc:"A claim holds every crowd at the order's level."`
	At            *time.Time    `json:"at,omitempty" doc:"End of the window; absent when the point is silent."`
	WindowMS      float64       `json:"window_ms" doc:"Its length." example:"10000"`
	Count         int64         `json:"count" doc:"Requests."`
	RTMeanMS      float64       `json:"rt_mean_ms" doc:"Mean RT."`
	FitResidual   float64       `json:"fit_residual" doc:"Standard deviation of ln RT around the predictor, mean over machines: 0.1 is about 10 %." example:"0.1"`
	Downgraded    int64         `json:"downgraded" doc:"Requests that ran below the top level."`
	Needless      float64       `json:"needless" doc:"Of them, estimated number that would have been within the available RT at the top level."`
	NeedlessError float64       `json:"needless_error" doc:"Standard error of that number."`
	Histogram     []RTBin       `json:"histogram" doc:"Distribution of RT, rising."`
	Crowds        []Crowd       `json:"crowds" doc:"From light to heavy. Edges of different machines within 25 % count as one crowd."`
	Agents        []AgentCrowds `json:"agents" doc:"Each machine's own crowds, when asked for."`
}

// RTBin is one bar of a distribution.
type RTBin struct {
	LowMS  float64 `json:"low_ms" doc:"From."`
	HighMS float64 `json:"high_ms" doc:"To."`
	Count  int64   `json:"count" doc:"Requests."`
}

// Crowd is requests of similar predicted RT.
type Crowd struct {
	EdgeMS        float64 `json:"edge_ms" doc:"Least predicted RT, at full work on an idle machine." example:"3.9"`
	Count         int64   `json:"count" doc:"Requests."`
	RTMeanMS      float64 `json:"rt_mean_ms" doc:"Their mean RT."`
	Level         float64 `json:"level" doc:"Their level, mean over machines." example:"42"`
	Work          float64 `json:"work" doc:"Their work, of what the highest level does." example:"0.46"`
	Bound         string  `json:"bound,omitempty" doc:"top: all the work allowed; unreachable: the least work allowed, and still too slow."`
	Downgraded    int64   `json:"downgraded" doc:"Of them, below the top level."`
	Needless      float64 `json:"needless" doc:"Of those, estimated number needlessly."`
	NeedlessError float64 `json:"needless_error" doc:"Standard error of that number."`
	Reason        string  `json:"reason" doc:"Of the last decision, of the machine with most of its requests." example:"mean 7.61ms within 8ms, n=3078"`
	Machines      int     `json:"machines" doc:"Machines that have it."`
}

// AgentCrowds is one machine's crowds.
type AgentCrowds struct {
	Instance      string  `json:"instance" doc:"Agent."`
	AvailableRTMS float64 `json:"available_rt_ms" doc:"The setpoint it holds."`
	FitResidual   float64 `json:"fit_residual" doc:"Of its predictor."`
	Crowds        []Crowd `json:"crowds" doc:"Its crowds, from light to heavy."`
}

// Demo is the sample engine's load.
type Demo struct {
	Rate    int `json:"rate" minimum:"0" maximum:"100000" doc:"Superposed copies of the trace; 40 is about 220 requests a second." example:"40"`
	MaxRate int `json:"max_rate,omitempty" readOnly:"true" doc:"The most it takes." example:"400"`
}
