package store

import (
	"context"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fleet"
)

type agentRecord struct {
	Instance string `gorm:"primaryKey"`
	App      string
	IDC      string `gorm:"column:idc"`
	SeenAt   micros
	Banned   string
	Epoch    int64
	Body     doc[agentDoc]
}

func (agentRecord) TableName() string { return "agents" }

type pointDoc struct {
	Name     string     `json:"name"`
	External bool       `json:"external,omitempty"`
	Params   []paramDoc `json:"params,omitempty"`
}

type ackDoc struct {
	Epoch    int64          `json:"epoch"`
	Revision int64          `json:"revision"`
	Refused  bool           `json:"refused,omitempty"`
	Problems []gear.Problem `json:"problems,omitempty"`
}

type agentDoc struct {
	Host         string        `json:"host"`
	Build        string        `json:"build"`
	SDK          string        `json:"sdk"`
	Address      string        `json:"address"`
	Capabilities []string      `json:"capabilities,omitempty"`
	Points       []pointDoc    `json:"points,omitempty"`
	State        string        `json:"state"`
	Session      string        `json:"session,omitempty"`
	Replica      string        `json:"replica,omitempty"`
	Home         string        `json:"home,omitempty"`
	HeldEpoch    int64         `json:"held_epoch,omitempty"`
	HeldRevision int64         `json:"held_revision,omitempty"`
	HeldHash     string        `json:"held_hash,omitempty"`
	Rung         uint8         `json:"rung,omitempty"`
	LastAck      ackDoc        `json:"last_ack,omitzero"`
	LastAckAt    micros        `json:"last_ack_at,omitempty"`
	LastReportAt micros        `json:"last_report_at,omitempty"`
	ClockOffset  time.Duration `json:"clock_offset_ns,omitempty"`
	CPU          float64       `json:"cpu"`
	StartedAt    micros        `json:"started_at,omitempty"`
	ConnectedAt  micros        `json:"connected_at,omitempty"`
}

func toAckDoc(a *gear.Ack) ackDoc {
	return ackDoc{Epoch: a.Version.Epoch, Revision: a.Version.Revision, Refused: a.Refused, Problems: a.Problems}
}

func (d ackDoc) ack() gear.Ack {
	return gear.Ack{Version: gear.Version{Epoch: d.Epoch, Revision: d.Revision}, Refused: d.Refused, Problems: d.Problems}
}

// IsZero leaves an ack that never came out of the document.
func (d ackDoc) IsZero() bool {
	return d.Epoch == 0 && d.Revision == 0 && !d.Refused && len(d.Problems) == 0
}

func toAgentRecord(a fleet.Agent) agentRecord {
	return agentRecord{
		Instance: a.Instance, App: a.App, IDC: a.IDC, SeenAt: at(a.SeenAt), Banned: a.Banned, Epoch: a.Epoch,
		Body: docOf(agentDoc{
			Host: a.Host, Build: a.Build, SDK: a.SDK, Address: a.Address, Capabilities: a.Capabilities,
			Points: each(a.Points, func(p gear.PointDecl) pointDoc {
				return pointDoc{Name: p.Name, External: p.External, Params: each(p.Params, toParamDoc)}
			}),
			State: string(a.State), Session: a.Session, Replica: a.Replica, Home: a.Home,
			HeldEpoch: a.Held.Epoch, HeldRevision: a.Held.Revision, HeldHash: a.HeldHash, Rung: uint8(a.Rung),
			LastAck:   toAckDoc(&a.LastAck),
			LastAckAt: at(a.LastAckAt), LastReportAt: at(a.LastReportAt), ClockOffset: a.ClockOffset, CPU: a.CPU,
			StartedAt: at(a.StartedAt), ConnectedAt: at(a.ConnectedAt),
		}),
	}
}

func fromAgentRecord(r agentRecord) fleet.Agent {
	b := r.Body.v
	return fleet.Agent{
		Instance: r.Instance, App: r.App, IDC: r.IDC, SeenAt: r.SeenAt.time(), Banned: r.Banned, Epoch: r.Epoch,
		Host: b.Host, Build: b.Build, SDK: b.SDK, Address: b.Address, Capabilities: b.Capabilities,
		Points: each(b.Points, func(p pointDoc) gear.PointDecl {
			return gear.PointDecl{Name: p.Name, External: p.External, Params: each(p.Params, paramDoc.param)}
		}),
		State: fleet.State(b.State), Session: b.Session, Replica: b.Replica, Home: b.Home,
		Held: gear.Version{Epoch: b.HeldEpoch, Revision: b.HeldRevision}, HeldHash: b.HeldHash, Rung: gear.Rung(b.Rung),
		LastAck:   b.LastAck.ack(),
		LastAckAt: b.LastAckAt.time(), LastReportAt: b.LastReportAt.time(), ClockOffset: b.ClockOffset, CPU: b.CPU,
		StartedAt: b.StartedAt.time(), ConnectedAt: b.ConnectedAt.time(),
	}
}

// SaveAgents implements fleet.Store. It never touches a ban: an agent that talks
// on must not lift its own. A row that tells of a newer session stays: the agent
// has gone to another controller since. Rows go in order of instance, so that two replicas
// that save overlapping batches cannot deadlock.
func (d *DB) SaveAgents(ctx context.Context, agents []fleet.Agent) error {
	rs := each(agents, toAgentRecord)
	slices.SortFunc(rs, func(a, b agentRecord) int {
		switch {
		case a.Instance < b.Instance:
			return -1
		case a.Instance > b.Instance:
			return 1
		}
		return 0
	})
	rs = slices.CompactFunc(rs, func(a, b agentRecord) bool { return a.Instance == b.Instance })
	if len(rs) == 0 {
		return nil
	}
	return d.write(ctx, "save agents", func(tx *gorm.DB) error {
		return tx.Clauses(clause.OnConflict{
			Columns:   []clause.Column{{Name: "instance"}},
			DoUpdates: clause.AssignmentColumns([]string{"app", "idc", "seen_at", "epoch", "body"}),
			Where:     clause.Where{Exprs: []clause.Expression{gorm.Expr("agents.epoch <= excluded.epoch")}},
		}).CreateInBatches(rs, 200).Error
	})
}

// LoadAgents implements fleet.Store.
func (d *DB) LoadAgents(ctx context.Context) ([]fleet.Agent, error) {
	var rs []agentRecord
	if err := d.read(ctx).Order("instance").Find(&rs).Error; err != nil {
		return nil, opaque(err, "load agents")
	}
	return each(rs, fromAgentRecord), nil
}

// BannedAgents implements fleet.Store.
func (d *DB) BannedAgents(ctx context.Context) (map[string]string, error) {
	var rs []agentRecord
	if err := d.read(ctx).Select("instance", "banned").Where("banned <> ''").Find(&rs).Error; err != nil {
		return nil, opaque(err, "read the bans")
	}
	out := make(map[string]string, len(rs))
	for i := range rs {
		out[rs[i].Instance] = rs[i].Banned
	}
	return out, nil
}

// DeleteAgents implements fleet.Store; banned ones stay, or their ban would be
// forgotten, and so do those that were seen since.
func (d *DB) DeleteAgents(ctx context.Context, instances []string, before time.Time) error {
	return d.write(ctx, "delete agents", func(tx *gorm.DB) error {
		for batch := range slices.Chunk(instances, 500) {
			if err := tx.Delete(&agentRecord{}, "instance IN ? AND banned = '' AND seen_at < ?", batch, at(before)).Error; err != nil {
				return err
			}
		}
		return nil
	})
}

// BanAgent implements fleet.Store.
func (d *DB) BanAgent(ctx context.Context, instance, reason string, c audit.Change) error {
	if reason == "" {
		reason = "no reason given"
	}
	return d.setBan(ctx, instance, reason, "ban", c)
}

// UnbanAgent implements fleet.Store.
func (d *DB) UnbanAgent(ctx context.Context, instance string, c audit.Change) error {
	return d.setBan(ctx, instance, "", "unban", c)
}

func (d *DB) setBan(ctx context.Context, instance, reason, verb string, c audit.Change) error {
	return d.change(ctx, c, "agent", verb, func(tx *gorm.DB, _ time.Time, ch *audit.Change) error {
		var r agentRecord
		if err := tx.Take(&r, "instance = ?", instance).Error; err != nil {
			if missing(err) {
				return notFound("agent", instance)
			}
			return err
		}
		type banDoc struct {
			Banned string `json:"banned"`
		}
		ch.App, ch.IDC = byOr(ch.App, r.App), byOr(ch.IDC, r.IDC)
		describe(ch, instance, r.Body.v.Host, banDoc{r.Banned}, banDoc{reason})
		return tx.Model(&agentRecord{}).Where("instance = ?", instance).Update("banned", reason).Error
	})
}

var _ fleet.Store = (*DB)(nil)
