package restapi

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/push"
)

type RevisionPath struct {
	Revision int64 `path:"revision" minimum:"1" doc:"Revision; global and rising." example:"41"`
}

func (s *Server) changeRoutes() {
	const tag = "Changes"
	handle(s, endpoint{
		method: http.MethodGet, path: "/changes", id: "list-changes", tag: tag, verb: auth.Read,
		summary: "List the journal", description: "Every shift of an order set, newest first; the last hour by default.",
	}, s.listChanges)
	handle(s, endpoint{
		method: http.MethodGet, path: "/changes/{revision}", id: "get-change", tag: tag, verb: auth.Read,
		summary: "Get a change", description: "With the whole order set and what differs from the one before.",
	}, s.getChange)
	handle(s, endpoint{
		method: http.MethodGet, path: "/changes/{revision}/progress", id: "change-progress", tag: tag, verb: auth.Read,
		summary: "How far is a change", description: "n of m agents hold it after t ms; stragglers and refusals by name. While the revision is remembered.",
	}, func(ctx context.Context, c *caller, in *RevisionPath) (*plain[api.Progress], error) {
		shift, err := s.shift(ctx, c, in.Revision)
		if err != nil {
			return nil, err
		}
		p, ok := s.deps.Push.ProgressOf(push.Key{App: shift.App, IDC: shift.IDC}, shift.Version)
		if !ok {
			return nil, fault.New(fault.NotFound, "revision %d is no longer followed", in.Revision)
		}
		return &plain[api.Progress]{toProgress(p, time.Now())}, nil
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/changes/{revision}/undo", id: "undo-change", tag: tag, verb: auth.Set,
		summary: "Undo a change", description: "Claims that came are released, claims that went are set again, bindings that came, went or changed are put back, templates that were published are rolled back to the version before. What has been changed since is left alone. Everything it does is a change of its own.",
	}, s.undoChange)
}

// shift finds a journal line by its revision; a foreign one does not exist.
func (s *Server) shift(ctx context.Context, c *caller, revision int64) (*control.Shift, error) {
	shift, err := s.shiftOf(ctx, revision)
	if err != nil {
		return nil, err
	}
	if shift == nil || !c.Can(auth.Read, shift.App, shift.IDC) {
		return nil, fault.New(fault.NotFound, "there is no revision %d", revision)
	}
	return shift, nil
}

func (s *Server) listChanges(ctx context.Context, c *caller, in *struct {
	Paged
	App  string    `query:"app" maxLength:"63" doc:"Only this app."`
	IDC  string    `query:"idc" maxLength:"63" doc:"Only this IDC."`
	From time.Time `query:"from" doc:"Not before; an hour before to by default."`
	To   time.Time `query:"to" doc:"Before; now by default."`
},
) (*plain[api.Page[api.Change]], error) {
	from, to, err := s.span(ctx, in.From, in.To, time.Hour)
	if err != nil {
		return nil, err
	}
	key, err := cursorKey(in.Cursor)
	if err != nil {
		return nil, err
	}
	below := int64(0)
	if key != "" {
		if below, err = strconv.ParseInt(key, 10, 64); err != nil {
			return nil, newFailure(http.StatusBadRequest, "", "cursor wants a next_cursor as it was sent", "")
		}
	}
	f := within(c, control.ShiftFilter{App: in.App, IDC: in.IDC, From: from, To: to, Below: below, Limit: in.Limit})
	shifts, next, err := s.deps.Control.PageShifts(ctx, f)
	if err != nil {
		return nil, err
	}
	p := api.Page[api.Change]{Items: mapped(shifts, toChange)}
	if next > 0 {
		p.NextCursor = cursorOf(strconv.FormatInt(next, 10))
	}
	return &plain[api.Page[api.Change]]{p}, nil
}

// within limits a list of the journal to what the caller may read.
func within(c *caller, f control.ShiftFilter) control.ShiftFilter {
	f.Within = []control.Place{}
	for _, g := range c.Grants {
		if g.Allows(auth.Read, g.App, g.IDC) {
			f.Within = append(f.Within, control.Place{App: g.App, IDC: g.IDC})
		}
	}
	if slices.Contains(f.Within, control.Place{App: gear.Any, IDC: gear.Any}) {
		f.Within = nil
	}
	return f
}

// span fills in and checks a time range.
func (s *Server) span(ctx context.Context, from, to time.Time, width time.Duration) (time.Time, time.Time, error) {
	if to.IsZero() {
		now, err := s.deps.Control.Now(ctx)
		if err != nil {
			return from, to, err
		}
		to = now.Add(time.Second)
	}
	if from.IsZero() {
		from = to.Add(-width)
	}
	if !from.Before(to) {
		return from, to, newFailure(http.StatusBadRequest, "", "from wants a time before to", "")
	}
	return from, to, nil
}

func (s *Server) getChange(ctx context.Context, c *caller, in *RevisionPath) (*plain[api.ChangeDetail], error) {
	shift, err := s.shift(ctx, c, in.Revision)
	if err != nil {
		return nil, err
	}
	before, err := s.before(ctx, shift)
	if err != nil {
		return nil, err
	}
	out := api.ChangeDetail{Change: toChange(shift), Differences: []api.OrderChange{}}
	for _, o := range shift.Set.Orders {
		out.Orders = append(out.Orders, toOrder(o, shift.Tables))
	}
	for _, d := range diffOrders(before, shift) {
		row := api.OrderChange{Scene: d.scene, Point: d.point, Bucket: d.bucket}
		if d.before != nil {
			o := toOrder(*d.before, before.Tables)
			row.Before = &o
		}
		if d.after != nil {
			o := toOrder(*d.after, shift.Tables)
			row.After = &o
		}
		out.Differences = append(out.Differences, row)
	}
	if p, ok := s.deps.Push.ProgressOf(push.Key{App: shift.App, IDC: shift.IDC}, shift.Version); ok {
		progress := toProgress(p, time.Now())
		out.Progress = &progress
	}
	if out.Undo, err = s.undoOf(ctx, c, shift); err != nil {
		return nil, err
	}
	return &plain[api.ChangeDetail]{out}, nil
}

// before gives the shift that this one replaced, nil for the first.
func (s *Server) before(ctx context.Context, shift *control.Shift) (*control.Shift, error) {
	older, err := s.deps.Control.ShiftAt(ctx, shift.App, shift.IDC, shift.At.Add(-time.Microsecond))
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	return older, err
}

type orderDiff struct {
	scene, point, bucket string
	before, after        *gear.Order
}

// diffOrders pairs the orders of two shifts by scene, point and bucket.
func diffOrders(before, after *control.Shift) []orderDiff {
	type key struct{ scene, point, bucket string }
	old := map[key]*gear.Order{}
	if before != nil {
		for i := range before.Set.Orders {
			o := &before.Set.Orders[i]
			old[key{o.Scene, o.Point, o.Bucket}] = o
		}
	}
	var out []orderDiff
	for i := range after.Set.Orders {
		o := &after.Set.Orders[i]
		k := key{o.Scene, o.Point, o.Bucket}
		was := old[k]
		delete(old, k)
		if was == nil || !sameOrder(was, o) {
			out = append(out, orderDiff{k.scene, k.point, k.bucket, was, o})
		}
	}
	for k, was := range old {
		out = append(out, orderDiff{k.scene, k.point, k.bucket, was, nil})
	}
	slices.SortFunc(out, func(a, b orderDiff) int {
		return cmp.Or(cmp.Compare(a.point, b.point), cmp.Compare(a.scene, b.scene), cmp.Compare(a.bucket, b.bucket))
	})
	return out
}

func sameOrder(a, b *gear.Order) bool {
	x, y := *a, *b
	same := slices.Equal(x.Settings, y.Settings)
	x.Settings, y.Settings = nil, nil
	return same && fmt.Sprintf("%+v", x) == fmt.Sprintf("%+v", y)
}

// partKey gives each step of a compound action its own idempotency key.
func partKey(key, part string) string {
	if key == "" {
		return ""
	}
	return key + "/" + part
}

func toChange(x *control.Shift) api.Change {
	return api.Change{
		Version: toGearVersion(x.Version), App: x.App, IDC: x.IDC, At: x.At, Hash: x.Hash, Cause: x.Cause, Causes: mapped(x.Causes, toCause), Claims: append([]string{}, x.Claims...),
	}
}

func toCause(c control.Cause) api.Cause {
	return api.Cause{Code: c.Code, Args: append([]string{}, c.Args...)}
}

func toProgress(p push.Progress, now time.Time) api.Progress {
	out := api.Progress{
		Version: toGearVersion(p.Version), App: p.Key.App, IDC: p.Key.IDC, Hold: p.Held, Of: p.Expected, Superseded: p.Superseded,
		Complete: p.Held == p.Expected, ElapsedMS: ms(now.Sub(p.PublishedAt)), Stragglers: []api.Straggler{}, Refusals: []api.AckRefusal{},
	}
	if p.To100 > 0 {
		out.ElapsedMS = ms(p.To100)
	}
	for _, r := range p.Reasons {
		row := api.AckRefusal{Reason: r.Problem.Message, Problems: problemErrors(gear.Problems{r.Problem}), Instances: []string{}, Count: r.Count}
		for _, z := range p.Stragglers {
			if len(z.Problems) > 0 && z.Problems[0].Path == r.Problem.Path && z.Problems[0].Message == r.Problem.Message {
				row.Instances = append(row.Instances, z.Instance)
			}
		}
		out.Refusals = append(out.Refusals, row)
	}
	for _, z := range p.Stragglers {
		if z.Why != push.Refused {
			out.Stragglers = append(out.Stragglers, api.Straggler{Instance: z.Instance, Reason: string(z.Why)})
		}
	}
	out.Summary = fmt.Sprintf("%d of %d agents hold revision %d after %.0f ms", p.Held, p.Expected, p.Version.Revision, out.ElapsedMS)
	if p.Refused > 0 {
		out.Summary += fmt.Sprintf(", %d refused it", p.Refused)
	}
	return out
}
