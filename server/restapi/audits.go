package restapi

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/auth"
)

type AuditFilter struct {
	Actor  string    `query:"actor" maxLength:"128" doc:"Who."`
	Verb   string    `query:"verb" maxLength:"63" doc:"What was done."`
	Kind   string    `query:"kind" maxLength:"63" doc:"To what kind of object."`
	Object string    `query:"object" maxLength:"128" doc:"Id of the object."`
	App    string    `query:"app" maxLength:"63" doc:"Application concerned."`
	IDC    string    `query:"idc" maxLength:"63" doc:"Machine room concerned."`
	Search string    `query:"search" maxLength:"200" doc:"In name, reason and actor."`
	People bool      `query:"people" doc:"Only what people and their programs did, not the controller's own loops."`
	From   time.Time `query:"from" doc:"Not before."`
	To     time.Time `query:"to" doc:"Before."`
}

func (f *AuditFilter) filter() audit.Filter {
	return audit.Filter{
		Actor: f.Actor, Verb: f.Verb, Kind: f.Kind, Object: f.Object, App: f.App, IDC: f.IDC, Search: f.Search, People: f.People, From: f.From, To: f.To,
	}
}

func (s *Server) auditRoutes() {
	const tag = "Audit"
	handle(s, endpoint{
		method: http.MethodGet, path: "/audit", id: "list-audit", tag: tag, verb: auth.Audit,
		summary: "List changes to stored state", description: "Newest first: who, what, when, why, with the difference.",
	}, func(ctx context.Context, c *caller, in *struct {
		AuditFilter
		Paged
	},
	) (*plain[api.Page[api.AuditEntry]], error) {
		f := in.filter()
		key, err := cursorKey(in.Cursor)
		if err != nil {
			return nil, err
		}
		if key != "" {
			if f.Before, err = strconv.ParseInt(key, 10, 64); err != nil || f.Before < 1 {
				return nil, newFailure(http.StatusBadRequest, "", "cursor wants a next_cursor as it was sent", "")
			}
		}
		entries, more, err := s.auditPage(ctx, c, f, in.Limit)
		if err != nil {
			return nil, err
		}
		p := api.Page[api.AuditEntry]{Items: mapped(entries, toAudit)}
		if more > 0 {
			p.NextCursor = cursorOf(strconv.FormatInt(more, 10))
		}
		return &plain[api.Page[api.AuditEntry]]{p}, nil
	})
	handle(s, endpoint{
		method: http.MethodGet, path: "/audit/export", id: "export-audit", tag: tag, verb: auth.Audit,
		summary: "Export changes as CSV", description: "At most 100,000 lines, newest first. Cells that a spreadsheet could take for a formula are quoted.",
		responses: map[string]*huma.Response{"200": {Description: "The log.", Content: map[string]*huma.MediaType{"text/csv": {Schema: &huma.Schema{Type: "string"}}}}},
	}, s.exportAudit)
	handle(s, endpoint{
		method: http.MethodGet, path: "/audit/verification", id: "verify-audit", tag: tag, verb: auth.Audit,
		summary: "Verify the hash chain", description: "Walks the whole log; the first entry that was altered or removed is named.",
	}, func(ctx context.Context, c *caller, _ *struct{}) (*plain[api.AuditVerification], error) {
		if err := c.may(auth.Audit, gear.Any, gear.Any); err != nil {
			return nil, err
		}
		v, err := audit.Verify(ctx, s.deps.Audit)
		if err != nil {
			return nil, err
		}
		return &plain[api.AuditVerification]{api.AuditVerification{
			OK: v.Problem == "", Entries: v.Entries, Head: v.Head, BrokenAt: v.BrokenAt, Problem: v.Problem, CheckedAt: time.Now().UTC(),
		}}, nil
	})
}

// auditBatch is how many entries are read at once; auditScan bounds how many a
// scoped caller's page may skip.
const (
	auditBatch = 500
	auditScan  = 20_000
)

// auditPage reads until limit entries of the caller's scope are found. more is
// the cursor of what follows, 0 when nothing does.
func (s *Server) auditPage(ctx context.Context, c *caller, f audit.Filter, limit int) (out []audit.Entry, more int64, err error) {
	for scanned := 0; scanned < auditScan; {
		f.Limit = auditBatch
		batch, err := s.deps.Audit.ListAudit(ctx, f)
		if err != nil {
			return nil, 0, err
		}
		for _, e := range batch {
			if !c.Can(auth.Audit, scopeOf(e.App), scopeOf(e.IDC)) {
				continue
			}
			if len(out) == limit {
				return out, out[limit-1].Seq, nil
			}
			out = append(out, e)
		}
		if len(batch) < auditBatch {
			return out, 0, nil
		}
		scanned += len(batch)
		f.Before = batch[len(batch)-1].Seq
	}
	return out, f.Before, nil
}

// scopeOf reads "" as everything: a change without an app concerns all of them.
func scopeOf(s string) string {
	if s == "" {
		return gear.Any
	}
	return s
}

const exportLimit = 100_000

func (s *Server) exportAudit(ctx context.Context, c *caller, in *AuditFilter) (*huma.StreamResponse, error) {
	f := in.filter()
	first, more, err := s.auditPage(ctx, c, f, auditBatch)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		hc.SetHeader("Content-Type", "text/csv; charset=utf-8")
		hc.SetHeader("Content-Disposition", `attachment; filename="allspark-audit.csv"`)
		w := csv.NewWriter(hc.BodyWriter())
		_ = w.Write([]string{"seq", "at", "actor", "via", "verb", "kind", "object", "name", "app", "idc", "reason", "request_id", "address", "hash"})
		for n := 0; ; {
			for _, e := range first {
				row := []string{
					strconv.FormatInt(e.Seq, 10), e.At.UTC().Format(time.RFC3339Nano), e.Actor, e.Via, e.Verb, e.Kind, e.Object, e.Name,
					e.App, e.IDC, e.Reason, e.RequestID, e.Address, e.Hash,
				}
				for i := range row {
					row[i] = csvCell(row[i])
				}
				if err := w.Write(row); err != nil {
					return // the client left
				}
			}
			if n += len(first); more == 0 || n >= exportLimit {
				break
			}
			f.Before = more
			if first, more, err = s.auditPage(ctx, c, f, auditBatch); err != nil {
				s.deps.Log.ErrorContext(ctx, "restapi: audit export broke off", "err", err, "request_id", c.requestID)
				panic(http.ErrAbortHandler) // a cut connection is honest, a short file is not
			}
		}
		w.Flush()
	}}, nil
}

// csvCell keeps a spreadsheet from running a cell.
func csvCell(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

func toAudit(e audit.Entry) api.AuditEntry {
	return api.AuditEntry{
		Seq: e.Seq, At: e.At, Actor: e.Actor, Via: e.Via, Verb: e.Verb, Kind: e.Kind, Object: e.Object, Name: e.Name, App: e.App, IDC: e.IDC,
		Reason: e.Reason, RequestID: e.RequestID, Address: e.Address, Before: json.RawMessage(e.Before), After: json.RawMessage(e.After), Hash: e.Hash,
		Diff: mapped(audit.Diff(e.Before, e.After), func(d audit.Difference) api.DiffChange {
			return api.DiffChange{Path: d.Path, Op: d.Op, From: d.From, To: d.To}
		}),
	}
}
