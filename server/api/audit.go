package api

import (
	"encoding/json"
	"time"
)

// AuditEntry is one recorded change.
type AuditEntry struct {
	Seq       int64           `json:"seq" doc:"Place in the log."`
	At        time.Time       `json:"at" doc:"When."`
	Actor     string          `json:"actor" doc:"Who." example:"ann"`
	Via       string          `json:"via" doc:"How: console, cli, api, plan, loop." example:"console"`
	Verb      string          `json:"verb" doc:"What was done." example:"publish"`
	Kind      string          `json:"kind" doc:"To what kind of object." example:"template"`
	Object    string          `json:"object" doc:"Its id."`
	Name      string          `json:"name" doc:"Its name." example:"sn-recall"`
	App       string          `json:"app,omitempty" doc:"Application concerned."`
	IDC       string          `json:"idc,omitempty" doc:"Machine room concerned."`
	Reason    string          `json:"reason,omitempty" doc:"Why."`
	RequestID string          `json:"request_id,omitempty" doc:"Request."`
	Address   string          `json:"address,omitempty" doc:"Where from."`
	Before    json.RawMessage `json:"before,omitempty" doc:"State before."`
	After     json.RawMessage `json:"after,omitempty" doc:"State after."`
	Diff      []DiffChange    `json:"diff" doc:"What differs."`
	Hash      string          `json:"hash" doc:"Hash of the entry and all before it."`
}

// AuditVerification is what walking the chain found.
type AuditVerification struct {
	OK        bool      `json:"ok" doc:"Whether every entry still hashes to what was recorded."`
	Entries   int64     `json:"entries" doc:"Entries walked."`
	Head      string    `json:"head" doc:"Hash of the newest entry; write it down elsewhere."`
	BrokenAt  int64     `json:"broken_at,omitempty" doc:"First entry that does not fit."`
	Problem   string    `json:"problem,omitempty" doc:"What does not fit."`
	CheckedAt time.Time `json:"checked_at" doc:"When."`
}
