package store

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"gorm.io/gorm"

	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/template"
)

type templateRecord struct {
	ID          string `gorm:"primaryKey" json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	// Tags are text with a line break around each, so that LIKE finds whole ones.
	Tags       string        `json:"tags,omitempty"`
	Draft      doc[*specDoc] `json:"-"`
	DraftDoc   *specDoc      `gorm:"-" json:"draft,omitempty"` // for the audit log
	Latest     int           `json:"latest"`
	Version    int64         `json:"version"`
	CopiedFrom string        `json:"copied_from,omitempty"`
	CreatedBy  string        `json:"created_by"`
	Created    micros        `gorm:"column:created_at" json:"created_at"`
	UpdatedBy  string        `json:"updated_by"`
	Updated    micros        `gorm:"column:updated_at" json:"updated_at"`
}

func (templateRecord) TableName() string { return "templates" }

func toTemplateRecord(t *template.Template) *templateRecord {
	draft := toSpecDoc(t.Draft)
	return &templateRecord{
		ID: t.ID, Name: t.Name, Description: t.Description, Tags: joinTags(t.Tags), Draft: docOf(draft), DraftDoc: draft,
		Latest: t.Latest, Version: t.Version, CopiedFrom: t.CopiedFrom,
		CreatedBy: t.CreatedBy, Created: at(t.CreatedAt), UpdatedBy: t.UpdatedBy, Updated: at(t.UpdatedAt),
	}
}

func fromTemplateRecord(r *templateRecord) *template.Template {
	return &template.Template{
		ID: r.ID, Name: r.Name, Description: r.Description, Tags: splitTags(r.Tags), Draft: r.Draft.v.spec(),
		Latest: r.Latest, Version: r.Version, CopiedFrom: r.CopiedFrom,
		CreatedBy: r.CreatedBy, CreatedAt: r.Created.time(), UpdatedBy: r.UpdatedBy, UpdatedAt: r.Updated.time(),
	}
}

func joinTags(tags []string) string {
	if len(tags) == 0 {
		return ""
	}
	return "\n" + strings.Join(tags, "\n") + "\n"
}

func splitTags(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.Trim(s, "\n"), "\n")
}

// CreateTemplate implements template.Store.
func (d *DB) CreateTemplate(ctx context.Context, t *template.Template, c audit.Change) error {
	return d.change(ctx, c, "template", "create", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		n := *t
		n.ID, n.Version, n.Latest = newID(t.ID), 1, 0
		n.CreatedBy = byOr(n.CreatedBy, ch.Actor)
		n.UpdatedBy = byOr(n.UpdatedBy, ch.Actor)
		stamp(&n.CreatedAt, now)
		n.UpdatedAt = now
		r := toTemplateRecord(&n)
		if err := tx.Create(r).Error; err != nil {
			return taken(err, "the name %q is taken", t.Name)
		}
		describe(ch, n.ID, n.Name, nil, r)
		*t = n
		return nil
	})
}

// UpdateTemplate implements template.Store. Latest and CopiedFrom are not its to change.
func (d *DB) UpdateTemplate(ctx context.Context, t *template.Template, c audit.Change) error {
	return d.change(ctx, c, "template", "update", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		old, err := d.heldTemplate(tx, t.ID, t.Version)
		if err != nil {
			return err
		}
		n, err := saveTemplate(tx, old, t, old.Latest, now, ch, nil)
		if err == nil {
			*t = *n
		}
		return err
	})
}

// PublishTemplate implements template.Store.
func (d *DB) PublishTemplate(ctx context.Context, t *template.Template, v *template.Version, c audit.Change) error {
	return d.change(ctx, c, "template", "publish", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		old, err := d.heldTemplate(tx, t.ID, t.Version)
		if err != nil {
			return err
		}
		nv := *v
		nv.TemplateID, nv.Number, nv.Author = t.ID, old.Latest+1, byOr(v.Author, ch.Actor)
		stamp(&nv.At, now)
		if err := tx.Create(toVersionRecord(&nv)).Error; err != nil {
			return taken(err, "version %d of %q exists already", nv.Number, t.Name)
		}
		next := *t
		next.Draft = nil
		n, err := saveTemplate(tx, old, &next, nv.Number, now, ch, toVersionRecord(&nv).forAudit())
		if err == nil {
			*t, *v = *n, nv
		}
		return err
	})
}

func saveTemplate(tx *gorm.DB, old *templateRecord, t *template.Template, latest int, now time.Time, ch *audit.Change, published any) (*template.Template, error) {
	n := *t
	n.Version, n.Latest, n.CopiedFrom = old.Version+1, latest, old.CopiedFrom
	n.CreatedBy, n.CreatedAt = old.CreatedBy, old.Created.time()
	n.UpdatedBy, n.UpdatedAt = ch.Actor, now
	r := toTemplateRecord(&n)
	res := tx.Model(r).Where("version = ?", old.Version).Select("*").Updates(r)
	if res.Error != nil {
		return nil, taken(res.Error, "the name %q is taken", t.Name)
	}
	if res.RowsAffected != 1 {
		return nil, fault.New(fault.Stale, "template %q changed meanwhile", t.Name)
	}
	// The whole object at its new version, so that a later stale write finds its base.
	describe(ch, n.ID, n.Name, old, struct {
		*templateRecord
		Published any `json:"published,omitempty"`
	}{r, published})
	return &n, nil
}

// heldTemplate reads the record if version is still its version.
func (d *DB) heldTemplate(tx *gorm.DB, id string, version int64) (*templateRecord, error) {
	var r templateRecord
	if err := tx.Take(&r, "id = ?", id).Error; err != nil {
		if missing(err) {
			return nil, notFound("template", id)
		}
		return nil, err
	}
	r.DraftDoc = r.Draft.v
	if r.Version == version {
		return &r, nil
	}
	return nil, stale(tx, "template", id, version, fromTemplateRecord(&r), func(old *templateRecord) any {
		old.Draft = docOf(old.DraftDoc)
		return fromTemplateRecord(old)
	})
}

// stale builds the error for a write on an old version; what the caller started
// from is looked up in the audit log.
func stale[R any](tx *gorm.DB, kind, id string, version int64, theirs any, from func(*R) any) error {
	f := fault.New(fault.Stale, "%s changed since version %d was read", kind, version)
	clash := fault.Clash{Theirs: theirs}
	old, err := asOf[R](tx, id, version)
	if err != nil {
		return err
	}
	if old != nil {
		clash.Base = from(old)
	}
	f.Detail = clash
	return f
}

// asOf finds an object as the audit log recorded it at a version; nil when that is
// too long ago.
func asOf[R any](tx *gorm.DB, id string, version int64) (*R, error) {
	var docs []string
	// Whatever replaced that version recorded it as its Before. Bounded: who edits a
	// version older than that gets no base, only theirs.
	err := tx.Model(&auditRecord{}).Where("object = ? AND before_doc <> ''", id).Order("seq DESC").Limit(200).Pluck("before_doc", &docs).Error
	if err != nil {
		return nil, err
	}
	for _, s := range docs {
		var v struct {
			Version int64 `json:"version"`
		}
		if json.Unmarshal([]byte(s), &v) != nil || v.Version != version {
			continue
		}
		var r R
		if json.Unmarshal([]byte(s), &r) == nil {
			return &r, nil
		}
	}
	return nil, nil
}

// TemplateAsOf implements template.Archive from the audit log.
func (d *DB) TemplateAsOf(ctx context.Context, id string, version int64) (*template.Template, error) {
	r, err := asOf[templateRecord](d.read(ctx), id, version)
	if err != nil {
		return nil, opaque(err, "read an old version")
	}
	if r == nil {
		return nil, fault.New(fault.NotFound, "version %d of template %s is no longer known", version, id)
	}
	r.Draft = docOf(r.DraftDoc)
	return fromTemplateRecord(r), nil
}

// DeleteTemplate implements template.Store. Its published versions stay, because
// journal and audit log refer to them.
func (d *DB) DeleteTemplate(ctx context.Context, id string, version int64, c audit.Change) error {
	return d.change(ctx, c, "template", "delete", func(tx *gorm.DB, _ time.Time, ch *audit.Change) error {
		old, err := d.heldTemplate(tx, id, version)
		if err != nil {
			return err
		}
		var bound int64
		if err := tx.Model(&bindingRecord{}).Where("template_id = ?", id).Count(&bound).Error; err != nil {
			return err
		}
		if bound > 0 {
			return fault.New(fault.Conflict, "template %q is still bound %d times", old.Name, bound)
		}
		if err := tx.Delete(&templateRecord{}, "id = ? AND version = ?", id, version).Error; err != nil {
			return err
		}
		describe(ch, id, old.Name, old, nil)
		return nil
	})
}

// GetTemplate implements template.Store.
func (d *DB) GetTemplate(ctx context.Context, id string) (*template.Template, error) {
	return d.oneTemplate(ctx, "id", id)
}

// FindTemplate implements template.Store.
func (d *DB) FindTemplate(ctx context.Context, name string) (*template.Template, error) {
	return d.oneTemplate(ctx, "name", name)
}

func (d *DB) oneTemplate(ctx context.Context, column, v string) (*template.Template, error) {
	var r templateRecord
	if err := d.read(ctx).Take(&r, column+" = ?", v).Error; err != nil {
		if missing(err) {
			return nil, notFound("template", v)
		}
		return nil, opaque(err, "read the template")
	}
	return fromTemplateRecord(&r), nil
}

// ListTemplates implements template.Store.
func (d *DB) ListTemplates(ctx context.Context, f template.Filter) ([]*template.Template, string, error) {
	sort, desc := strings.CutPrefix(f.Sort, "-")
	if sort == "" {
		sort = "name"
	}
	if sort != "name" && sort != "updated_at" {
		return nil, "", fault.New(fault.Invalid, "sort is name or updated_at, got %q", f.Sort)
	}
	order, past := " ASC", ">"
	if desc {
		order, past = " DESC", "<"
	}
	q := d.read(ctx)
	if f.Search != "" {
		like := contains(f.Search)
		q = q.Where("(lower(name) LIKE ? ESCAPE '!' OR lower(description) LIKE ? ESCAPE '!' OR lower(tags) LIKE ? ESCAPE '!')", like, like, like)
	}
	for _, t := range f.Tags {
		q = q.Where("tags LIKE ? ESCAPE '!'", "%\n"+likeEscaper.Replace(t)+"\n%")
	}
	key := sort + order
	c, ok, err := parseCursor(f.After, key)
	if err != nil {
		return nil, "", err
	}
	if ok {
		var v any = c.Key
		if sort == "updated_at" {
			v = c.Num
		}
		q = q.Where("("+sort+", id) "+past+" (?, ?)", v, c.ID)
	}
	n := pageSize(f.Limit)
	var rs []templateRecord
	if err := q.Order(sort + order + ", id" + order).Limit(n + 1).Find(&rs).Error; err != nil {
		return nil, "", opaque(err, "list templates")
	}
	next := ""
	if len(rs) > n {
		last := rs[n-1]
		rs, next = rs[:n], cursor{Sort: key, Key: last.Name, Num: int64(last.Updated), ID: last.ID}.encode()
	}
	out := make([]*template.Template, len(rs))
	for i := range rs {
		out[i] = fromTemplateRecord(&rs[i])
	}
	return out, next, nil
}

var _ template.Store = (*DB)(nil)
