package api

import "time"

// Wall is what a screen on the wall shows: how each scene stands, and what comes next.
type Wall struct {
	At        time.Time   `json:"at" doc:"Reference time."`
	Regulated bool        `json:"regulated" doc:"The replica that answers regulates scenes; another one does not know the RT gear."`
	Scenes    []WallScene `json:"scenes" doc:"By name."`
	Agents    WallAgents  `json:"agents" doc:"Of the apps and IDCs shown."`
	Alerts    WallAlerts  `json:"alerts" doc:"That stand."`
	Next      []WallStep  `json:"next" doc:"Steps of approved plans in force, and those of the next two days, at most eight."`
	Decides   string      `json:"decides,omitempty" doc:"The replica that decides; absent when none does."`
}

// WallScene is a scene in its IDCs.
type WallScene struct {
	Scene     string     `json:"scene" doc:"Name." example:"k2"`
	Statistic string     `json:"statistic" doc:"What the target speaks of." example:"mean"`
	Links     []WallLink `json:"links" doc:"One an IDC."`
}

// WallLink is a scene in an IDC.
type WallLink struct {
	IDC         string     `json:"idc" doc:"Machine room." example:"ea119"`
	TargetMS    float64    `json:"target_ms" doc:"What is wished." example:"300"`
	EffectiveMS float64    `json:"effective_ms" doc:"Target of the RT gear's step." example:"300"`
	ActualMS    float64    `json:"actual_ms" doc:"The target's statistic over the last ten seconds; -1 without requests." example:"241"`
	Step        int        `json:"step" doc:"Of the RT gear; 1 is the target itself." example:"1"`
	Steps       int        `json:"steps" doc:"How many there are." example:"4"`
	Phase       string     `json:"phase" enum:"idle,preset,feedback" doc:"How it is regulated."`
	Until       *time.Time `json:"until,omitempty" doc:"When the preset is handed over."`
	Timeouts    float64    `json:"timeouts" doc:"Share of the front end's requests; -1 without any." example:"0.002"`
	QPS         float64    `json:"qps" doc:"At the front end." example:"420"`
	CPU         float64    `json:"cpu" doc:"Mean share of cores busy of the fullest app; -1 when unknown." example:"0.62"`
	CPUApp      string     `json:"cpu_app,omitempty" doc:"That app." example:"rank"`
	AtFloor     int        `json:"at_floor" doc:"Points at their lowest level." example:"0"`
	Points      int        `json:"points" doc:"Points of the scene that have levels." example:"6"`
}

// WallAgents counts agents.
type WallAgents struct {
	Connected    int `json:"connected" doc:"Connected." example:"36"`
	Stale        int `json:"stale" doc:"Connected and silent." example:"0"`
	Disconnected int `json:"disconnected" doc:"Gone." example:"0"`
	Ordered      int `json:"ordered" doc:"Connected or stale, of places with orders." example:"36"`
	Current      int `json:"current" doc:"Of them, holding the newest orders." example:"36"`
	Refusing     int `json:"refusing" doc:"Of them, refusing the newest orders." example:"0"`
}

// WallAlerts counts alerts that stand.
type WallAlerts struct {
	Open    int      `json:"open" doc:"Of the apps and IDCs shown, at most 200." example:"0"`
	Unacked int      `json:"unacked" doc:"Of them, nobody looks after." example:"0"`
	Titles  []string `json:"titles" doc:"The newest three that nobody looks after."`
}

// WallStep is a step of a plan that is in force or comes next.
type WallStep struct {
	Plan  string     `json:"plan" doc:"Plan." example:"double-11"`
	Step  string     `json:"step" doc:"Step." example:"midnight-gears"`
	Start time.Time  `json:"start" doc:"When it begins."`
	End   *time.Time `json:"end,omitempty" doc:"When it ends."`
	State string     `json:"state" enum:"coming,running" doc:"Whether it has begun."`
}
