package demo

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/lab"
	"github.com/allspark/allspark/server/template"
)

func TestTemplatesFitWhatTheMachinesDeclare(t *testing.T) {
	m := lab.Standard(1)
	docs := map[string]*template.Document{}
	for _, d := range Templates() {
		require.Empty(t, template.Check(d), d.Name)
		require.Empty(t, template.Warnings(&d.Spec), d.Name)
		docs[d.Name] = d
	}
	require.Len(t, docs, 9)
	bound := map[int]bool{}
	for _, b := range Bindings() {
		p := m.Point(b.Selector.App, b.Selector.Point)
		require.GreaterOrEqual(t, p, 0, b.Selector)
		bound[p] = true
		doc := docs[b.Template]
		require.NotNil(t, doc, b.Template)
		table, err := template.Expand(&doc.Spec)
		require.NoError(t, err)
		if m.Points[p].External {
			require.Equal(t, m.Points[p].Params[0].Default, doc.Spec.Strategy.Settings[gear.SettingTimeout])
			continue
		}
		require.Empty(t, gear.CheckTable(m.Points[p].Params, table), b.Template)
		// The default level is what the app does without orders: publishing the
		// templates changes nothing.
		row := table.Rows[doc.Spec.Default-1]
		for i, d := range m.Points[p].Params {
			require.Equal(t, d.Default, row[i], "%s.%s", b.Template, d.Name)
		}
	}
	for i := range m.Points {
		require.Equal(t, len(m.Points[i].Params) > 0 || i == lab.Entry, bound[i], m.Points[i].Name)
	}
}
