package fleet

import (
	"context"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
)

// State of an agent as operators see it.
type State string

// The states.
const (
	StateConnected    State = "connected"
	StateStale        State = "stale"        // connected, but silent for longer than the rule allows
	StateDisconnected State = "disconnected" // its last values are history, never shown as current
	StateBanned       State = "banned"
)

// Agent is one registered agent.
type Agent struct {
	Instance     string
	App, IDC     string
	Host, Build  string
	SDK          string
	Address      string
	Capabilities []string
	Points       []gear.PointDecl
	State        State
	Session      string // of the live stream; "" when disconnected
	Replica      string // controller that serves it
	Home         string // controller that serves it or served it last
	Epoch        int64  // of the session: a later one of the same agent has a higher
	Held         gear.Version
	HeldHash     string
	Rung         gear.Rung
	LastAck      gear.Ack
	LastAckAt    time.Time
	LastReportAt time.Time
	ClockOffset  time.Duration
	CPU          float64
	StartedAt    time.Time
	ConnectedAt  time.Time
	SeenAt       time.Time
	Banned       string // reason, "" when not banned
	Quiet        bool   // stale, as its home saw it
	Left         bool   // said goodbye: it owes nothing

	savedAt time.Time // of its row
}

// Filter selects agents.
type Filter struct {
	App, IDC, Search string
	State            State
	After            string
	Limit            int
}

// Store keeps what must survive a restart: who registered and what they declared.
// Presence itself is in memory.
type Store interface {
	// SaveAgents replaces rows, but for those that tell of a newer session.
	SaveAgents(ctx context.Context, agents []Agent) error
	LoadAgents(ctx context.Context) ([]Agent, error)
	// DeleteAgents drops those of them that are not banned and were not seen since
	// before.
	DeleteAgents(ctx context.Context, instances []string, before time.Time) error
	// BannedAgents gives the reasons by instance.
	BannedAgents(ctx context.Context) (map[string]string, error)
	BanAgent(ctx context.Context, instance, reason string, c audit.Change) error
	UnbanAgent(ctx context.Context, instance string, c audit.Change) error
}

// Declared is what the registered builds of an app say about one point.
type Declared struct {
	App, IDC, Build, Point string
	Machines               int
	Params                 []gear.Param
}

// Codec packs the agents of an app x IDC for other controllers, App, IDC, State,
// Replica, Home and Banned apart.
type Codec interface {
	Pack(agents []Agent) ([]byte, error)
	Unpack(p []byte) ([]Agent, error)
}
