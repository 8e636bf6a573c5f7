package wire

import (
	"google.golang.org/protobuf/proto"

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
		p.Points = append(p.Points, fromDecl(&h.Points[i]))
	}
	return p
}

func fromDecl(d *gear.PointDecl) *agentv1.PointDecl {
	return &agentv1.PointDecl{Name: clean(d.Name), External: d.External, Params: fromParams(d.Params)}
}

// helloRoom is what is kept free of points in a hello, in bytes: for its names, and
// for hashes of the tables held.
const helloRoom = 16 << 10

// MaxDeclared bounds the points of a hello, in bytes; see PointSize.
const MaxDeclared = MaxInbound - helloRoom

// PointSize is what a declaration takes in a hello, in bytes.
func PointSize(d *gear.PointDecl) int {
	const frame = 4 // its tag and length
	return proto.Size(fromDecl(d)) + frame
}

// FitHello leaves out what a controller would not read: the points declared last,
// which it gives back, and the newest of the tables held, which are only sent again.
func FitHello(h *gear.Hello) (left []gear.PointDecl) {
	room := MaxDeclared
	for i := range h.Points {
		if room -= PointSize(&h.Points[i]); room < 0 || i == MaxPoints {
			h.Points, left = h.Points[:i:i], h.Points[i:]
			break
		}
	}
	tables := h.Tables
	h.Tables = nil
	room = MaxInbound - helloRoom/8 - proto.Size(FromHello(h)) // the frame, and values that grow to their full width
	for i, hash := range tables {
		if room -= len(hash) + 4; room < 0 || i == MaxTables {
			tables = tables[:i:i]
			break
		}
	}
	h.Tables = tables
	return left
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
