package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/scene"
)

type sceneDoc struct {
	Description string          `json:"description,omitempty"`
	Target      time.Duration   `json:"target_ns"`
	Quantile    float64         `json:"quantile,omitempty"`
	Timeout     time.Duration   `json:"timeout_ns,omitempty"`
	MaxTimeouts float64         `json:"max_timeouts,omitempty"`
	Ladder      []time.Duration `json:"ladder_ns,omitempty"`
	From        time.Duration   `json:"from_ns,omitempty"`
	To          time.Duration   `json:"to_ns,omitempty"`
	Front       sceneSpotDoc    `json:"front,omitzero"`
	Nodes       []nodeDoc       `json:"nodes,omitempty"`
	Edges       []edgeDoc       `json:"edges,omitempty"`

	FeedbackAlone bool `json:"feedback_alone,omitempty"`
}

type sceneSpotDoc struct {
	App   string `json:"app"`
	Point string `json:"point"`
}

type nodeDoc struct {
	ID       string        `json:"id"`
	Place    sceneSpotDoc  `json:"place"`
	External bool          `json:"external,omitempty"`
	Within   string        `json:"within,omitempty"`
	Network  time.Duration `json:"network_ns,omitempty"`
	Retries  int           `json:"retries,omitempty"`
	Timeout  time.Duration `json:"timeout_ns,omitempty"`
	FedBy    string        `json:"fed_by,omitempty"`
	X        float64       `json:"x,omitempty"`
	Y        float64       `json:"y,omitempty"`
}

type edgeDoc struct {
	From string `json:"from"`
	To   string `json:"to"`
}

func toSceneDoc(s *scene.Spec) sceneDoc {
	return sceneDoc{
		Description: s.Description, Target: s.Target, Quantile: s.Statistic.Quantile, Timeout: s.Timeout, MaxTimeouts: s.MaxTimeouts,
		Ladder: s.Ladder, From: s.From, To: s.To, Front: sceneSpotDoc(s.Front),
		Nodes: each(s.Graph.Nodes, func(n scene.Node) nodeDoc {
			return nodeDoc{n.ID, sceneSpotDoc(n.Place), n.External, n.Within, n.Network, n.Retries, n.Timeout, n.FedBy, n.X, n.Y}
		}),
		Edges: each(s.Graph.Edges, func(e scene.Edge) edgeDoc { return edgeDoc(e) }), FeedbackAlone: s.FeedbackAlone,
	}
}

func (d sceneDoc) spec(name string) scene.Spec {
	return scene.Spec{
		Name: name, Description: d.Description, Target: d.Target, Statistic: scene.Statistic{Quantile: d.Quantile}, Timeout: d.Timeout,
		MaxTimeouts: d.MaxTimeouts, FeedbackAlone: d.FeedbackAlone, Ladder: d.Ladder, From: d.From, To: d.To, Front: scene.Place(d.Front),
		Graph: scene.Graph{
			Nodes: each(d.Nodes, func(n nodeDoc) scene.Node {
				return scene.Node{
					ID: n.ID, Place: scene.Place(n.Place), External: n.External, Within: n.Within, Network: n.Network,
					Retries: n.Retries, Timeout: n.Timeout, FedBy: n.FedBy, X: n.X, Y: n.Y,
				}
			}),
			Edges: each(d.Edges, func(e edgeDoc) scene.Edge { return scene.Edge(e) }),
		},
	}
}

type sceneRecord struct {
	ID        string        `gorm:"primaryKey" json:"id"`
	Name      string        `json:"name"`
	Body      doc[sceneDoc] `json:"-"`
	Doc       sceneDoc      `gorm:"-" json:"scene"` // for the audit log
	Version   int64         `json:"version"`
	Reason    string        `json:"reason,omitempty"`
	CreatedBy string        `json:"created_by"`
	Created   micros        `gorm:"column:created_at" json:"created_at"`
	UpdatedBy string        `json:"updated_by"`
	Updated   micros        `gorm:"column:updated_at" json:"updated_at"`
}

func (sceneRecord) TableName() string { return "scenes" }

type sceneVersionRecord struct {
	SceneID   string `gorm:"primaryKey"`
	Version   int64  `gorm:"primaryKey;autoIncrement:false"`
	Body      doc[namedScene]
	Reason    string
	CreatedBy string
	Created   micros `gorm:"column:created_at"`
	UpdatedBy string
	Updated   micros `gorm:"column:updated_at"`
}

func (sceneVersionRecord) TableName() string { return "scene_versions" }

// namedScene keeps the name with a version, which outlives the scene's row.
type namedScene struct {
	Name string `json:"name"`
	sceneDoc
}

func toSceneRecord(s *scene.Scene) *sceneRecord {
	d := toSceneDoc(&s.Spec)
	return &sceneRecord{
		ID: s.ID, Name: s.Name, Body: docOf(d), Doc: d, Version: s.Version, Reason: s.Reason,
		CreatedBy: s.CreatedBy, Created: at(s.CreatedAt), UpdatedBy: s.UpdatedBy, Updated: at(s.UpdatedAt),
	}
}

func fromSceneRecord(r *sceneRecord) *scene.Scene {
	return &scene.Scene{
		ID: r.ID, Spec: r.Body.v.spec(r.Name), Version: r.Version, Reason: r.Reason,
		CreatedBy: r.CreatedBy, CreatedAt: r.Created.time(), UpdatedBy: r.UpdatedBy, UpdatedAt: r.Updated.time(),
	}
}

func toSceneVersion(s *scene.Scene) *sceneVersionRecord {
	return &sceneVersionRecord{
		SceneID: s.ID, Version: s.Version, Body: docOf(namedScene{s.Name, toSceneDoc(&s.Spec)}), Reason: s.Reason,
		CreatedBy: s.CreatedBy, Created: at(s.CreatedAt), UpdatedBy: s.UpdatedBy, Updated: at(s.UpdatedAt),
	}
}

func fromSceneVersion(r *sceneVersionRecord) *scene.Scene {
	return &scene.Scene{
		ID: r.SceneID, Spec: r.Body.v.spec(r.Body.v.Name), Version: r.Version, Reason: r.Reason,
		CreatedBy: r.CreatedBy, CreatedAt: r.Created.time(), UpdatedBy: r.UpdatedBy, UpdatedAt: r.Updated.time(),
	}
}

// CreateScene implements scene.Store.
func (d *DB) CreateScene(ctx context.Context, s *scene.Scene, c audit.Change) error {
	return d.change(ctx, c, "scene", "create", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		n := *s
		n.ID, n.Version = newID(s.ID), 1
		n.CreatedBy, n.UpdatedBy = byOr(n.CreatedBy, ch.Actor), byOr(n.UpdatedBy, ch.Actor)
		stamp(&n.CreatedAt, now)
		n.UpdatedAt = now
		r := toSceneRecord(&n)
		if err := tx.Create(r).Error; err != nil {
			return taken(err, "the scene %q exists already", s.Name)
		}
		if err := tx.Create(toSceneVersion(&n)).Error; err != nil {
			return taken(err, "version 1 of scene %q exists already", s.Name)
		}
		describe(ch, n.ID, n.Name, nil, r)
		*s = n
		return nil
	})
}

// UpdateScene implements scene.Store. The name is not its to change.
func (d *DB) UpdateScene(ctx context.Context, s *scene.Scene, c audit.Change) error {
	return d.change(ctx, c, "scene", "update", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		old, err := heldScene(tx, s.ID, s.Version)
		if err != nil {
			return err
		}
		n := *s
		n.Name, n.Version = old.Name, old.Version+1
		n.CreatedBy, n.CreatedAt = old.CreatedBy, old.Created.time()
		n.UpdatedBy, n.UpdatedAt = ch.Actor, now
		r := toSceneRecord(&n)
		res := tx.Model(r).Where("version = ?", old.Version).Select("*").Updates(r)
		if res.Error != nil {
			return res.Error
		}
		if res.RowsAffected != 1 {
			return fault.New(fault.Stale, "scene %q changed meanwhile", s.Name)
		}
		if err := tx.Create(toSceneVersion(&n)).Error; err != nil {
			return taken(err, "version %d of scene %q exists already", n.Version, s.Name)
		}
		describe(ch, n.ID, n.Name, old, r)
		*s = n
		return nil
	})
}

// DeleteScene implements scene.Store.
func (d *DB) DeleteScene(ctx context.Context, id string, version int64, c audit.Change) error {
	return d.change(ctx, c, "scene", "delete", func(tx *gorm.DB, _ time.Time, ch *audit.Change) error {
		old, err := heldScene(tx, id, version)
		if err != nil {
			return err
		}
		if err := tx.Delete(&sceneRecord{}, "id = ? AND version = ?", id, version).Error; err != nil {
			return err
		}
		describe(ch, id, old.Name, old, nil)
		return nil
	})
}

// heldScene reads the record if version is still its version; else the base of a
// merge comes from the versions, all of which are kept.
func heldScene(tx *gorm.DB, id string, version int64) (*sceneRecord, error) {
	var r sceneRecord
	if err := tx.Take(&r, "id = ?", id).Error; err != nil {
		if missing(err) {
			return nil, notFound("scene", id)
		}
		return nil, err
	}
	r.Doc = r.Body.v
	if r.Version == version {
		return &r, nil
	}
	f := fault.New(fault.Stale, "scene changed since version %d was read", version)
	clash := fault.Clash{Theirs: fromSceneRecord(&r)}
	var base []sceneVersionRecord
	if err := tx.Where("scene_id = ? AND version = ?", id, version).Find(&base).Error; err != nil {
		return nil, err
	}
	if len(base) == 1 {
		clash.Base = fromSceneVersion(&base[0])
	}
	f.Detail = clash
	return nil, f
}

// GetScene implements scene.Store.
func (d *DB) GetScene(ctx context.Context, id string) (*scene.Scene, error) {
	return d.oneScene(ctx, "id", id)
}

// FindScene implements scene.Store.
func (d *DB) FindScene(ctx context.Context, name string) (*scene.Scene, error) {
	return d.oneScene(ctx, "name", name)
}

func (d *DB) oneScene(ctx context.Context, column, v string) (*scene.Scene, error) {
	var r sceneRecord
	if err := d.read(ctx).Take(&r, column+" = ?", v).Error; err != nil {
		if missing(err) {
			return nil, notFound("scene", v)
		}
		return nil, opaque(err, "read the scene")
	}
	return fromSceneRecord(&r), nil
}

// ListScenes implements scene.Store.
func (d *DB) ListScenes(ctx context.Context) ([]*scene.Scene, error) {
	var rs []sceneRecord
	if err := d.read(ctx).Order("name").Limit(maxPage).Find(&rs).Error; err != nil {
		return nil, opaque(err, "list scenes")
	}
	return each(rs, func(r sceneRecord) *scene.Scene { return fromSceneRecord(&r) }), nil
}

// GetSceneVersion implements scene.Store.
func (d *DB) GetSceneVersion(ctx context.Context, id string, version int64) (*scene.Scene, error) {
	q := d.read(ctx).Where("scene_id = ?", id)
	if version > 0 {
		q = q.Where("version = ?", version)
	}
	var rs []sceneVersionRecord
	if err := q.Order("version DESC").Limit(1).Find(&rs).Error; err != nil {
		return nil, opaque(err, "read the scene's version")
	}
	if len(rs) == 0 {
		return nil, fault.New(fault.NotFound, "no version %d of scene %q", version, id)
	}
	return fromSceneVersion(&rs[0]), nil
}

// ListSceneVersions implements scene.Store.
func (d *DB) ListSceneVersions(ctx context.Context, id string, limit int) ([]*scene.Scene, error) {
	var rs []sceneVersionRecord
	if err := d.read(ctx).Where("scene_id = ?", id).Order("version DESC").Limit(pageSize(limit)).Find(&rs).Error; err != nil {
		return nil, opaque(err, "list the scene's versions")
	}
	return each(rs, func(r sceneVersionRecord) *scene.Scene { return fromSceneVersion(&r) }), nil
}

var _ scene.Store = (*DB)(nil)
