package push

import (
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// Key names who shares one order set.
type Key struct{ App, IDC string }

// State is what every agent of a key must hold. It must not change after
// Publish: all streams share it.
type State struct {
	Version gear.Version
	Hash    string
	Orders  any            // the frame of the whole set
	Tables  map[string]any // by hash, the frame of every level table the set refers to
}

// Held is what an agent brought along.
type Held struct {
	Version gear.Version
	Hash    string
	Tables  []string // hashes of the tables it still has
	Refused gear.Ack // its last refusal, so that the same version is not sent again
}

// Elsewhere is how an agent stands whose stream another controller holds.
type Elsewhere struct {
	Held    gear.Version
	Refused gear.Ack  // its last answer, if that was a refusal
	At      time.Time // of its last answer, by the hub's clock
	Away    time.Time // since when it is not there; zero: it is
	Gone    bool      // it said goodbye and owes nothing
}

// Slot is a kind of frame of which only the newest counts.
type Slot uint8

// The slots, in the order in which they are sent, before tables and set.
const (
	SlotClock   Slot = iota // the answer to a clock probe
	SlotRehello             // a request for a full hello
	SlotQuota               // base quotas
	SlotStaged              // plan steps to be held beforehand
	slots
)

// Options bound the hub. The zero value gives the defaults.
type Options struct {
	StallAfter time.Duration // without progress while stale, before the cut; 30 s
	AwayFor    time.Duration // how long a broken member stays in the ledger; 5 min
	Names      int           // pending and refused members named by Progress; 100
	Records    int           // superseded versions remembered a key; 16
}

func (o Options) withDefaults() Options {
	if o.StallAfter <= 0 {
		o.StallAfter = 30 * time.Second
	}
	if o.AwayFor <= 0 {
		o.AwayFor = 5 * time.Minute
	}
	if o.Names <= 0 {
		o.Names = 100
	}
	if o.Records <= 0 {
		o.Records = 16
	}
	return o
}
