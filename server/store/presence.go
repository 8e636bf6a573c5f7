package store

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/fleet"
)

// presenceDoc is what a controller tells others about the agents of an app x IDC.
// What their builds declare is said once: thousands of machines run the same code.
// Controllers of two builds meet here: fields are only ever added.
type presenceDoc struct {
	Builds []declaredDoc `json:"builds"`
	Agents []presentDoc  `json:"agents"`
}

type declaredDoc struct {
	Build        string     `json:"build"`
	SDK          string     `json:"sdk"`
	Capabilities []string   `json:"capabilities,omitempty"`
	Points       []pointDoc `json:"points,omitempty"`
}

type presentDoc struct {
	Instance  string        `json:"i"`
	Build     int           `json:"b"` // index of Builds
	Epoch     int64         `json:"e"`
	Session   string        `json:"s,omitempty"`
	Host      string        `json:"h,omitempty"`
	Address   string        `json:"a,omitempty"`
	HeldEpoch int64         `json:"ve,omitempty"`
	Held      int64         `json:"v,omitempty"`
	Rung      uint8         `json:"g,omitempty"`
	Ack       ackDoc        `json:"k,omitzero"`
	AckAt     micros        `json:"ka,omitempty"`
	ReportAt  micros        `json:"r,omitempty"`
	Clock     time.Duration `json:"o,omitempty"`
	CPU       float64       `json:"c"`
	Started   micros        `json:"st,omitempty"`
	Connected micros        `json:"ct,omitempty"`
	Seen      micros        `json:"sn,omitempty"`
	Quiet     bool          `json:"q,omitempty"`
	Left      bool          `json:"l,omitempty"`
}

// Presence packs agents for other controllers. It implements fleet.Codec.
type Presence struct{}

// Pack implements fleet.Codec.
func (Presence) Pack(agents []fleet.Agent) ([]byte, error) {
	var d presenceDoc
	known := map[string]int{}
	for i := range agents {
		a := &agents[i]
		said := declaredDoc{
			Build: a.Build, SDK: a.SDK, Capabilities: a.Capabilities,
			Points: each(a.Points, func(p gear.PointDecl) pointDoc {
				return pointDoc{Name: p.Name, External: p.External, Params: each(p.Params, toParamDoc)}
			}),
		}
		key, err := json.Marshal(said)
		if err != nil {
			return nil, fmt.Errorf("pack what %s declares: %w", a.Instance, err)
		}
		n, ok := known[string(key)]
		if !ok {
			n = len(d.Builds)
			known[string(key)] = n
			d.Builds = append(d.Builds, said)
		}
		d.Agents = append(d.Agents, presentDoc{
			Instance: a.Instance, Build: n, Epoch: a.Epoch, Session: a.Session, Host: a.Host, Address: a.Address,
			HeldEpoch: a.Held.Epoch, Held: a.Held.Revision, Rung: uint8(a.Rung), Ack: toAckDoc(&a.LastAck), AckAt: at(a.LastAckAt),
			ReportAt: at(a.LastReportAt), Clock: a.ClockOffset, CPU: a.CPU, Started: at(a.StartedAt), Connected: at(a.ConnectedAt), Seen: at(a.SeenAt),
			Quiet: a.Quiet, Left: a.Left,
		})
	}
	return json.Marshal(d)
}

// Unpack implements fleet.Codec. Agents of one build share what it declares.
func (Presence) Unpack(p []byte) ([]fleet.Agent, error) {
	var d presenceDoc
	if err := json.Unmarshal(p, &d); err != nil {
		return nil, fmt.Errorf("unpack agents: %w", err)
	}
	points := each(d.Builds, func(b declaredDoc) []gear.PointDecl {
		return each(b.Points, func(p pointDoc) gear.PointDecl {
			return gear.PointDecl{Name: p.Name, External: p.External, Params: each(p.Params, paramDoc.param)}
		})
	})
	out := make([]fleet.Agent, 0, len(d.Agents))
	for i := range d.Agents {
		x := &d.Agents[i]
		if x.Build < 0 || x.Build >= len(d.Builds) {
			return nil, fmt.Errorf("unpack agents: %s names build %d of %d", gear.Shown(x.Instance), x.Build, len(d.Builds))
		}
		b := &d.Builds[x.Build]
		out = append(out, fleet.Agent{
			Instance: x.Instance, Host: x.Host, Build: b.Build, SDK: b.SDK, Address: x.Address,
			Capabilities: b.Capabilities, Points: slices.Clip(points[x.Build]), Session: x.Session, Epoch: x.Epoch,
			Held: gear.Version{Epoch: x.HeldEpoch, Revision: x.Held}, Rung: gear.Rung(x.Rung), LastAck: x.Ack.ack(), LastAckAt: x.AckAt.time(),
			LastReportAt: x.ReportAt.time(), ClockOffset: x.Clock, CPU: x.CPU,
			StartedAt: x.Started.time(), ConnectedAt: x.Connected.time(), SeenAt: x.Seen.time(), Quiet: x.Quiet, Left: x.Left,
		})
	}
	return out, nil
}

var _ fleet.Codec = Presence{}
