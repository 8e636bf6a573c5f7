// Package audit says who changed what, when and why. Every change to stored
// state is written in the same transaction as the change itself, appended to a
// hash chain that `allspark audit verify` walks.
package audit

import (
	"context"
	"encoding/json"
	"time"
)

// Change travels with every mutating Store call: the caller says who and why,
// the store fills in what was before and after and appends the Entry in the
// same transaction.
type Change struct {
	Actor     string // user, token or "system:<room>"
	Via       string // console, cli, api, plan, loop
	Verb      string // create, update, publish, copy, rollback, delete, set, release, login …
	Kind      string // template, binding, claim, user …
	Object    string // id
	Name      string // for people
	App, IDC  string // scope for authorisation of reads; "" means global
	Reason    string
	RequestID string
	Address   string

	// IdempotencyKey makes a retry a no-op: the store keeps (Actor, key) unique in
	// the same transaction and answers fault.Duplicate for the second.
	IdempotencyKey string

	Before, After json.RawMessage

	// Glass names the leave by which the change is made in a freeze; it is not
	// recorded itself: the store flags the reason.
	Glass string
}

// Entry is a Change as it was recorded.
type Entry struct {
	Seq int64
	At  time.Time
	Change
	PrevHash, Hash string
}

// Filter selects entries, newest first.
type Filter struct {
	Actor, Verb, Kind, Object, App, IDC, Search string
	From, To                                    time.Time
	People                                      bool  // without what the controller's own loops did
	Before                                      int64 // cursor: only Seq below it; 0 means from the newest
	Limit                                       int
}

// Store reads the log. There is no method to write it alone, and none to
// change it.
type Store interface {
	ListAudit(ctx context.Context, f Filter) ([]Entry, error)
	// WalkAudit visits every entry in Seq order.
	WalkAudit(ctx context.Context, fn func(Entry) error) error
	// FindIdempotent gives the entry recorded under the actor's key, if any.
	FindIdempotent(ctx context.Context, actor, key string) (Entry, bool, error)
}
