package audit_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/store"
	"github.com/allspark/allspark/server/template"
)

func entries(n int) []audit.Entry {
	var out []audit.Entry
	prev := ""
	for i := range n {
		e := audit.Entry{
			Seq: int64(i + 1), At: time.Unix(int64(i), 0), PrevHash: prev,
			Change: audit.Change{Actor: "ann", Verb: "set", Object: fmt.Sprint(i), After: json.RawMessage(`{"level":3}`)},
		}
		e.Hash = audit.ChainHash(prev, &e)
		prev = e.Hash
		out = append(out, e)
	}
	return out
}

func check(es []audit.Entry) (broken int64) {
	seq, prev := int64(0), ""
	for i := range es {
		if audit.CheckLink(seq, prev, &es[i]) != nil {
			return es[i].Seq
		}
		seq, prev = es[i].Seq, es[i].Hash
	}
	return 0
}

func TestEveryAlterationBreaksTheChain(t *testing.T) {
	require.Zero(t, check(entries(10)))
	for name, alter := range map[string]func(e *audit.Entry){
		"actor":    func(e *audit.Entry) { e.Actor = "eve" },
		"verb":     func(e *audit.Entry) { e.Verb = "release" },
		"reason":   func(e *audit.Entry) { e.Reason = "x" },
		"time":     func(e *audit.Entry) { e.At = e.At.Add(time.Second) },
		"content":  func(e *audit.Entry) { e.After = json.RawMessage(`{"level":4}`) },
		"hash":     func(e *audit.Entry) { e.Hash = e.PrevHash },
		"shifted":  func(e *audit.Entry) { e.Actor, e.Via = "an", "n" }, // the same bytes in other fields
		"sequence": func(e *audit.Entry) { e.Seq++ },
	} {
		es := entries(10)
		alter(&es[4])
		require.NotZero(t, check(es), name)
	}
	es := entries(10)
	require.NotZero(t, check(append(es[:3:3], es[4:]...)), "one taken out")
	es[3], es[4] = es[4], es[3]
	require.NotZero(t, check(es), "two exchanged")
	// Rehashing the altered entry alone moves the break to its successor.
	es = entries(10)
	es[4].Actor = "eve"
	es[4].Hash = audit.ChainHash(es[4].PrevHash, &es[4])
	require.EqualValues(t, 6, check(es))
}

func TestVerifyWalksTheStoredLog(t *testing.T) {
	db, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "a.db"))
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	require.NoError(t, db.Migrate(t.Context()))
	for i := range 5 {
		id := fmt.Sprintf("0192e4a0-0000-7000-8000-00000000000%d", i)
		require.NoError(t, db.CreateTemplate(t.Context(), &template.Template{ID: id, Name: fmt.Sprint("t", i), Draft: &template.Spec{}}, audit.Change{Actor: "ann"}))
	}
	v, err := audit.Verify(t.Context(), db)
	require.NoError(t, err)
	require.EqualValues(t, 5, v.Entries)
	require.Empty(t, v.Problem)
	require.Len(t, v.Head, 64)
}

func TestDiffNamesEveryPlace(t *testing.T) {
	got := audit.Diff(json.RawMessage(`{"name":"a","tags":["x","y"],"old":1,"deep":{"big":9007199254740993,"same":true}}`),
		json.RawMessage(`{"name":"b","tags":["x","z","w"],"new":null,"deep":{"big":9007199254740992,"same":true}}`))
	text := []string{}
	for _, d := range got {
		text = append(text, fmt.Sprintf("%s %s %s>%s", d.Op, d.Path, d.From, d.To))
	}
	require.Equal(t, []string{
		"change deep.big 9007199254740993>9007199254740992", `change name "a">"b"`, "add new >", "remove old 1>",
		`change tags[1] "y">"z"`, `add tags[2] >"w"`,
	}, text)
	require.Empty(t, audit.Diff(nil, nil))
	require.Empty(t, audit.Diff(json.RawMessage(`{"a":1}`), json.RawMessage(`{"a":1}`)))
	require.Equal(t, "add", audit.Diff(nil, json.RawMessage(`{"a":1}`))[0].Op)
	require.Equal(t, "remove", audit.Diff(json.RawMessage(`{"a":1}`), nil)[0].Op)
	require.Equal(t, "change", audit.Diff(json.RawMessage(`[1]`), json.RawMessage(`{"a":1}`))[0].Op)
}
