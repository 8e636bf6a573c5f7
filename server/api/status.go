package api

import "time"

// Status is the state of this controller.
type Status struct {
	Version   string    `json:"version" doc:"Build of the controller."`
	Replica   string    `json:"replica" doc:"Name of the replica that answers."`
	Now       time.Time `json:"now" doc:"Reference time."`
	StartedAt time.Time `json:"started_at" doc:"Start of the process."`
	Lease     Lease     `json:"lease" doc:"Who decides."`
	Database  Database  `json:"database" doc:"Where state lives."`
	Agents    Counts    `json:"agents" doc:"Agents by state."`
	Streams   int       `json:"streams" doc:"Open event streams."`
}

// Lease is who decides.
type Lease struct {
	Holder  string     `json:"holder" doc:"Replica that decides; empty when none." example:"a-1"`
	Epoch   int64      `json:"epoch" doc:"Rises whenever the lease changes hands."`
	Expires *time.Time `json:"expires,omitempty" doc:"When it ends without renewal."`
	Mine    bool       `json:"mine" doc:"Whether this replica holds it."`
	Waiting string     `json:"waiting,omitempty" doc:"Why this replica does not decide."`
	Decided *time.Time `json:"decided,omitempty" doc:"When this replica last looked at everything, while it decides."`
	Newest  Version    `json:"newest" doc:"Newest version seen in the journal."`
	Trouble string     `json:"trouble,omitempty" doc:"What keeps it from deciding or publishing."`
}

// Database is where state lives.
type Database struct {
	Kind   string  `json:"kind" doc:"sqlite or postgres." example:"sqlite"`
	OK     bool    `json:"ok" doc:"Whether it answers."`
	PingMS float64 `json:"ping_ms" doc:"How fast."`
}

// Counts is agents by state.
type Counts struct {
	Connected    int `json:"connected" doc:"Connected." example:"18"`
	Stale        int `json:"stale" doc:"Connected but silent."`
	Disconnected int `json:"disconnected" doc:"Gone."`
	Banned       int `json:"banned" doc:"Banned."`
}

// Settings are what an administrator may change at run time.
type Settings struct {
	RetentionMinutes string `json:"retention_minutes" doc:"How long history is kept by minute." example:"168h"`
	RetentionHours   string `json:"retention_hours" doc:"How long history is kept by hour." example:"2160h"`
	StaleAfter       string `json:"stale_after" doc:"Silence after which an agent is stale." example:"5s"`
	ForgetAfter      string `json:"forget_after" doc:"Silence after which a disconnected agent is forgotten." example:"24h"`
	Version          int64  `json:"version" readOnly:"true" required:"false" doc:"The ETag."`
}

// SettingsInput replaces the settings.
type SettingsInput struct {
	RetentionMinutes string `json:"retention_minutes" doc:"1h..8760h." example:"168h"`
	RetentionHours   string `json:"retention_hours" doc:"24h..43800h." example:"2160h"`
	StaleAfter       string `json:"stale_after" doc:"1s..1h." example:"5s"`
	ForgetAfter      string `json:"forget_after" doc:"1m..8760h." example:"24h"`
	Reason           string `json:"reason,omitempty" maxLength:"500" doc:"Why."`
}
