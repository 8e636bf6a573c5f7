package wire

import (
	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
)

// FromHello makes the message of a hello.
func FromHello(h *gear.Hello) *agentv1.Hello {
	p := &agentv1.Hello{
		Instance: clean(h.Instance), App: clean(h.App), Idc: clean(h.IDC), Host: clean(h.Host),
		Build: clean(h.Build), Sdk: clean(h.SDK), Capabilities: cleanAll(h.Capabilities),
		HeldEpoch: h.Held.Epoch, HeldRevision: h.Held.Revision, HeldHash: clean(h.HeldHash),
		Tables: cleanAll(h.Tables), Rung: uint32(h.FallbackRung), StartedAtNs: nanos(h.StartedAt), StagedHash: clean(h.StagedHash),
	}
	for i := range h.Points {
		d := &h.Points[i]
		p.Points = append(p.Points, &agentv1.PointDecl{Name: clean(d.Name), External: d.External, Params: fromParams(d.Params)})
	}
	return p
}

// ToHello reads a hello.
func ToHello(p *agentv1.Hello) (gear.Hello, gear.Problems) {
	var c checker
	h := gear.Hello{
		Instance: c.name("instance", p.GetInstance()), App: c.name("app", p.GetApp()), IDC: c.name("idc", p.GetIdc()),
		Host: c.name("host", p.GetHost()), Build: c.name("build", p.GetBuild()), SDK: c.name("sdk", p.GetSdk()),
		Capabilities: c.names("capabilities", p.GetCapabilities(), MaxSettings, "entries"),
		Held:         c.version(p.GetHeldEpoch(), p.GetHeldRevision()),
		HeldHash:     c.name("held_hash", p.GetHeldHash()),
		Tables:       c.names("tables", p.GetTables(), MaxTables, "entries"),
		FallbackRung: rung(p.GetRung()),
		StartedAt:    unix(p.GetStartedAtNs()),
		StagedHash:   c.name("staged_hash", p.GetStagedHash()),
	}
	if n := len(p.GetPoints()); n > 0 && c.size("points", n, MaxPoints, "points") {
		h.Points = make([]gear.PointDecl, n)
		for i, d := range p.GetPoints() {
			here := at("points", i)
			h.Points[i] = gear.PointDecl{
				Name: c.name(here+".name", d.GetName()), External: d.GetExternal(),
				Params: c.params(here+".params", d.GetParams()),
			}
		}
	}
	return h, c.problems
}

func rung(r uint32) gear.Rung {
	if r > uint32(gear.RungDefault) {
		return 0
	}
	return gear.Rung(r)
}

func (c *checker) version(epoch, revision int64) gear.Version {
	return gear.Version{Epoch: c.upTo("epoch", epoch, MaxVersion), Revision: c.upTo("revision", revision, MaxVersion)}
}
