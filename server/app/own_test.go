package app

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/push"
	"github.com/allspark/allspark/server/scene"
	"github.com/allspark/allspark/server/template"
)

// published counts the versions that are read, and gives each its number as level.
type published struct {
	template.Store
	reads int
}

func (p *published) GetVersion(_ context.Context, id string, number int) (*template.Version, error) {
	p.reads++
	v := &template.Version{Number: number}
	v.Spec.Default = number
	return v, nil
}

func shiftOf(app, idc string, revision int64, orders []gear.Order, versions ...control.VersionRef) *control.Shift {
	s := &control.Shift{App: app, IDC: idc, Version: gear.Version{Epoch: 1, Revision: revision}, Set: gear.OrderSet{App: app, IDC: idc, Epoch: 1, Revision: revision, Orders: orders}}
	s.Basis.Versions = versions
	return s
}

func TestATemplatesOwnLevelFollowsWhatIsInForce(t *testing.T) {
	p := newPublisher(push.NewHub(push.Options{}))
	store := &published{}
	own := &ownLevels{publisher: p, templates: store}
	recall := &gear.Order{Template: "recall", TemplateVersion: 3}
	require.Zero(t, own.of(recall), "nothing is in force")
	require.NoError(t, p.Publish(t.Context(), shiftOf("sn", "na61", 1, nil, control.VersionRef{TemplateID: "t1", Name: "recall", Number: 3})))
	require.Equal(t, 3, own.of(recall))
	require.Equal(t, 3, own.of(recall))
	require.Equal(t, 1, store.reads)
	require.NoError(t, p.Publish(t.Context(), shiftOf("sn", "na61", 2, nil, control.VersionRef{TemplateID: "t1", Name: "recall", Number: 4})))
	require.Zero(t, own.of(recall), "no longer in force")
	require.Equal(t, 4, own.of(&gear.Order{Template: "recall", TemplateVersion: 4}))
	require.Zero(t, own.of(&gear.Order{Template: "other", TemplateVersion: 4}))
}

// Where IDCs differ, the same one speaks for a point each time it is asked.
func TestLevelsDoNotDependOnTheOrderOfAMap(t *testing.T) {
	p := newPublisher(push.NewHub(push.Options{}))
	for i := range 20 {
		o := gear.Order{Scene: gear.Any, Point: "recall", Bucket: gear.Any, Level: 1, MinLevel: 1, MaxLevel: i + 1, Strategy: gear.StrategyFixed}
		require.NoError(t, p.Publish(t.Context(), shiftOf("sn", fmt.Sprintf("idc%02d", i), int64(i+1), []gear.Order{o})))
	}
	for range 50 {
		got := p.levels("k2", func(*gear.Order) int { return 0 })
		require.Equal(t, 20, got[scene.Place{App: "sn", Point: "recall"}].Max)
	}
}

// BenchmarkOwnLevel asks for an order among those of 500 app x IDC.
func BenchmarkOwnLevel(b *testing.B) {
	p := newPublisher(push.NewHub(push.Options{}))
	for i := range 500 {
		name := fmt.Sprint("template", i)
		require.NoError(b, p.Publish(b.Context(), shiftOf(fmt.Sprint("app", i), "na61", int64(i+1), nil, control.VersionRef{TemplateID: name, Name: name, Number: 1})))
	}
	own := &ownLevels{publisher: p, templates: &published{}}
	o := &gear.Order{Template: "template250", TemplateVersion: 1}
	for b.Loop() {
		if own.of(o) != 1 {
			b.Fatal("not found")
		}
	}
}
