package api

import (
	"encoding/json"
	"time"
)

// Change is one shift of the journal.
type Change struct {
	Version Version   `json:"version" doc:"Its place in the journal."`
	App     string    `json:"app" doc:"Application." example:"sn"`
	IDC     string    `json:"idc" doc:"Machine room." example:"ea119"`
	At      time.Time `json:"at" doc:"Reference time."`
	Hash    string    `json:"hash" doc:"Hash of the order set."`
	Cause   string    `json:"cause" doc:"What changed." example:"manual claim: level 3"`
	Causes  []Cause   `json:"causes" doc:"The same, to be worded by the reader; empty in lines of the journal that older controllers wrote."`
	Claims  []string  `json:"claims" doc:"Claims that came or went."`
}

// Cause is one thing that led to a shift.
type Cause struct {
	Code string   `json:"code" enum:"bound,claim_ended,claim_set,decided_anew,more,points_declared,published,rebound,unbound" doc:"claim_set (source, author, value, scope, reason), claim_ended (source, author, value, scope), bound (selector, template), rebound (selector), unbound (selector, template), published (template, version), points_declared, decided_anew or more (how many)." example:"claim_set"`
	Args []string `json:"args" doc:"What fills it in, in that order."`
}

// ChangeDetail is a shift with the difference it made.
type ChangeDetail struct {
	Change
	Orders      []Order       `json:"orders" doc:"The whole set."`
	Differences []OrderChange `json:"differences" doc:"Against the shift before."`
	Progress    *Progress     `json:"progress,omitempty" doc:"Who holds it, while it is the newest."`
	Undo        *Undo         `json:"undo,omitempty" doc:"What undoing it would do now."`
}

// Undo is what undoing a revision would do, or why it can not be done.
type Undo struct {
	Actions []string `json:"actions" doc:"What would be done, for people."`
	Problem string   `json:"problem,omitempty" doc:"Why it can not be done; empty when it can."`
}

// OrderChange is one order that differs.
type OrderChange struct {
	Scene  string `json:"scene" doc:"Scene." example:"k2"`
	Point  string `json:"point" doc:"Control point." example:"recall"`
	Bucket string `json:"bucket" doc:"Bucket." example:"*"`
	Before *Order `json:"before,omitempty" doc:"As it was; absent when new."`
	After  *Order `json:"after,omitempty" doc:"As it is; absent when gone."`
}

// Progress is how far a revision got.
type Progress struct {
	Version    Version      `json:"version" doc:"The revision."`
	App        string       `json:"app" doc:"Application." example:"sn"`
	IDC        string       `json:"idc" doc:"Machine room." example:"ea119"`
	Hold       int          `json:"hold" doc:"Agents that hold it or a newer one." example:"9"`
	Of         int          `json:"of" doc:"Agents it was sent to." example:"9"`
	ElapsedMS  float64      `json:"elapsed_ms" doc:"From publishing to the last answer, or to now." example:"180"`
	Complete   bool         `json:"complete" doc:"Everybody answered."`
	Superseded bool         `json:"superseded" doc:"A newer revision replaced it."`
	Stragglers []Straggler  `json:"stragglers" doc:"Who did not answer yet, at most 100."`
	Refusals   []AckRefusal `json:"refusals" doc:"Who refused and why, by reason."`
	Summary    string       `json:"summary" doc:"In one sentence." example:"9 of 9 agents hold revision 41 after 180 ms"`
}

// Straggler is an agent without an answer.
type Straggler struct {
	Instance string `json:"instance" doc:"Agent."`
	Reason   string `json:"reason" doc:"What is known." example:"no answer yet"`
}

// AckRefusal is one reason and who gave it.
type AckRefusal struct {
	Reason    string         `json:"reason" doc:"In one sentence."`
	Problems  []ProblemError `json:"problems" doc:"Every path."`
	Instances []string       `json:"instances" doc:"Agents, at most 100."`
	Count     int            `json:"count" doc:"How many." example:"2"`
}

// Undone is what an undo did.
type Undone struct {
	Actions []string `json:"actions" doc:"What was done, for people."`
	Claims  []Claim  `json:"claims" doc:"Claims released or set again."`
}

// Event is one message of the event stream.
type Event struct {
	ID     string          `json:"id" doc:"Resume after it with Last-Event-ID."`
	Type   string          `json:"type" enum:"hello,reset,change,progress,claim,template,binding,agent,point,scene,alert,status" doc:"What happened."`
	At     time.Time       `json:"at" doc:"When."`
	App    string          `json:"app,omitempty" doc:"Application concerned."`
	IDC    string          `json:"idc,omitempty" doc:"Machine room concerned."`
	Object string          `json:"object,omitempty" doc:"Id or name of the object."`
	Data   json.RawMessage `json:"data,omitempty" doc:"The object, if it is small: Change, Progress, Claim, PointState[] …"`
}
