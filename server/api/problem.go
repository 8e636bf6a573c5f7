package api

import "encoding/json"

// Problem is an RFC 9457 problem.
type Problem struct {
	Type      string         `json:"type" doc:"Identifies the kind of problem: urn:allspark:problem:CODE." example:"urn:allspark:problem:invalid"`
	Title     string         `json:"title" doc:"The HTTP status in words." example:"Unprocessable Entity"`
	Status    int            `json:"status" doc:"The HTTP status." example:"422"`
	Code      string         `json:"code" doc:"Stable code for programs: invalid, not_found, conflict, stale, unauthorized, forbidden, frozen, too_large, rate_limited, unavailable, refused, internal." example:"invalid"`
	Detail    string         `json:"detail" doc:"What happened, for people." example:"template \"sn-recall\" has 1 problem"`
	Errors    []ProblemError `json:"errors,omitempty" doc:"Every place that is wrong."`
	Conflict  *Conflict      `json:"conflict,omitempty" doc:"With code stale: what was edited, what was sent, what is stored now."`
	Refusals  []Refusal      `json:"refusals,omitempty" doc:"With code refused: which builds would refuse."`
	RequestID string         `json:"request_id" doc:"Quote it when you ask for help; the log has it."`
}

// ProblemError is one place that is wrong.
type ProblemError struct {
	Path    string `json:"path" doc:"Where." example:"gears[2].set.tag_count"`
	Code    string `json:"code" doc:"What kind: type, range, step, enum, required, unknown, duplicate, gap …" example:"range"`
	Message string `json:"message" doc:"For people." example:"tag_count wants int 10..200, got 250 at level 9"`
	Line    int    `json:"line,omitempty" doc:"Line in the document sent, from 1."`
	Column  int    `json:"column,omitempty" doc:"Column in the document sent, from 1."`
}

// Conflict helps a client to merge after a stale write.
type Conflict struct {
	Base   json.RawMessage `json:"base,omitempty" doc:"The version the write was based on, if it is still known."`
	Mine   json.RawMessage `json:"mine,omitempty" doc:"What was sent."`
	Theirs json.RawMessage `json:"theirs,omitempty" doc:"What is stored now."`
	ETag   string          `json:"etag,omitempty" doc:"The version stored now: If-Match of the next try." example:"\"7\""`
}

// Error lets a client return a problem as an error.
func (p *Problem) Error() string {
	s := p.Detail
	if s == "" {
		s = p.Title
	}
	for _, e := range p.Errors {
		s += "\n  "
		if e.Path != "" {
			s += e.Path + ": "
		}
		s += e.Message
	}
	if p.RequestID != "" && p.Status >= 500 {
		s += "\n  request id " + p.RequestID
	}
	return s
}
