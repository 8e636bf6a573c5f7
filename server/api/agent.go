package api

import "time"

// Agent is one registered agent.
type Agent struct {
	Instance      string          `json:"instance" doc:"Unique per process start."`
	App           string          `json:"app" doc:"Application." example:"sn"`
	IDC           string          `json:"idc" doc:"Machine room." example:"ea119"`
	Host          string          `json:"host" doc:"Machine."`
	Build         string          `json:"build" doc:"Build of the app." example:"1.2"`
	SDK           string          `json:"sdk" doc:"Version of the agent."`
	Address       string          `json:"address" doc:"Where its stream comes from."`
	State         string          `json:"state" enum:"connected,stale,disconnected,banned" doc:"Presence; values of a disconnected agent are history."`
	Replica       string          `json:"replica,omitempty" doc:"Controller that serves it."`
	Held          Version         `json:"held" doc:"The order set it holds."`
	Current       bool            `json:"current" doc:"Whether that is the newest of its app and IDC."`
	Rung          string          `json:"rung" doc:"Which step of the fallback ladder answers: live, staged, last_good, default." example:"live"`
	LastAckAt     *time.Time      `json:"last_ack_at,omitempty" doc:"When it last answered an order set."`
	LastAck       *Ack            `json:"last_ack,omitempty" doc:"What it answered."`
	LastReportAt  *time.Time      `json:"last_report_at,omitempty" doc:"When it last reported."`
	ClockOffsetMS float64         `json:"clock_offset_ms" doc:"Its clock against reference time."`
	CPU           float64         `json:"cpu" doc:"Share of cores busy; negative when unknown."`
	StartedAt     *time.Time      `json:"started_at,omitempty" doc:"Start of its process."`
	ConnectedAt   *time.Time      `json:"connected_at,omitempty" doc:"Start of its stream."`
	SeenAt        *time.Time      `json:"seen_at,omitempty" doc:"When it was last heard."`
	Banned        string          `json:"banned,omitempty" doc:"Why it is banned."`
	Capabilities  []string        `json:"capabilities" doc:"What it can do."`
	Points        []DeclaredPoint `json:"points,omitempty" doc:"What it declares; only when one agent is read."`
}

// Ack is an agent's answer to an order set.
type Ack struct {
	Version  Version        `json:"version" doc:"The set answered."`
	Refused  bool           `json:"refused" doc:"Whether it was refused."`
	Problems []ProblemError `json:"problems,omitempty" doc:"Why."`
}
