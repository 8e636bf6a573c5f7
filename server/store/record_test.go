package store

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/plan"
	"github.com/allspark/allspark/server/settings"
	"github.com/allspark/allspark/server/template"
)

// filler sets every exported field of a domain type to something of its own, so
// that a field which records forget shows as a difference.
type filler struct{ n int64 }

func (f *filler) fill(v reflect.Value) {
	f.n++
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.UnixMicro(1e15 + f.n).UTC()))
		return
	case gear.Value:
		v.Set(reflect.ValueOf([]gear.Value{
			gear.Int(f.n), gear.Float(float64(f.n)), gear.Bool(true), gear.String(fmt.Sprint(f.n)),
			gear.Enum(fmt.Sprint(f.n)), gear.Duration(time.Duration(f.n)),
		}[f.n%6]))
		return
	case gear.Kind:
		v.Set(reflect.ValueOf(gear.Kind(1 + f.n%6)))
		return
	case json.RawMessage:
		v.Set(reflect.ValueOf(json.RawMessage(fmt.Sprintf(`{"n":%d}`, f.n))))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("s%d", f.n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(float64(f.n) + 0.5)
	case reflect.Int, reflect.Int64:
		v.SetInt(f.n)
	case reflect.Uint8:
		v.SetUint(uint64(1 + f.n%100))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			f.fill(v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 2 {
			k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.fill(k)
			f.fill(e)
			v.SetMapIndex(k, e)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				f.fill(v.Field(i))
			}
		}
	default:
		panic(fmt.Sprintf("no filling for %s", v.Type()))
	}
}

// through stores a column's document as text and reads it back.
func through[T any](t *testing.T, d *doc[T]) {
	t.Helper()
	v, err := d.Value()
	require.NoError(t, err)
	*d = doc[T]{}
	require.NoError(t, d.Scan(v))
}

func filled[T any]() *T {
	x := new(T)
	f := filler{}
	f.fill(reflect.ValueOf(x).Elem())
	return x
}

func TestRecordsKeepEveryField(t *testing.T) {
	tp := filled[template.Template]()
	tr := toTemplateRecord(tp)
	through(t, &tr.Draft)
	require.Equal(t, tp, fromTemplateRecord(tr))

	v := filled[template.Version]()
	vr := toVersionRecord(v)
	through(t, &vr.Spec)
	require.Equal(t, v, fromVersionRecord(vr))

	b := filled[template.Binding]()
	require.Equal(t, b, fromBindingRecord(toBindingRecord(b)))

	c := filled[control.Claim]()
	require.Equal(t, c, fromClaimRecord(toClaimRecord(c)))

	s := filled[control.Shift]()
	s.Set.App, s.Set.IDC, s.Set.Epoch, s.Set.Revision, s.Set.Hash = s.App, s.IDC, s.Version.Epoch, s.Version.Revision, s.Hash
	sr := toShiftRecord(s)
	through(t, &sr.Orders)
	through(t, &sr.Basis)
	through(t, &sr.Claims)
	got := fromShiftRecord(sr)
	for i := range s.Tables {
		d := docOf(toTableDoc(&s.Tables[i]))
		through(t, &d)
		got.Tables = append(got.Tables, d.v.table(s.Tables[i].Hash))
	}
	require.Equal(t, s, got)

	a := filled[fleet.Agent]()
	a.Quiet, a.Left = false, false // of the moment: replicas tell each other, no row keeps them
	ar := toAgentRecord(*a)
	through(t, &ar.Body)
	require.Equal(t, *a, fromAgentRecord(ar))

	u := filled[auth.User]()
	ur := toUserRecord(u)
	through(t, &ur.Grants)
	require.Equal(t, u, fromUserRecord(ur))
	k := filled[auth.Token]()
	kr := toTokenRecord(k)
	through(t, &kr.Grants)
	require.Equal(t, k, fromTokenRecord(kr))
	e := filled[auth.EnrolToken]()
	require.Equal(t, e, fromEnrolRecord(toEnrolRecord(e)))

	g := filled[settings.Settings]()
	gr := toSettingsRecord(g)
	through(t, &gr.Body)
	gr.Doc = gr.Body.v
	require.Equal(t, g, fromSettingsRecord(gr))

	pl := filled[plan.Plan]()
	pr := toPlanRecord(pl)
	through(t, &pr.Body)
	require.Equal(t, pl, fromPlanRecord(pr))

	n := filled[audit.Entry]()
	n.Glass = "" // not recorded: the reason is flagged instead
	nr := toAuditRecord(n)
	require.Equal(t, *n, nr.entry())
}

func TestValuesKeepTheirKind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.OneOf(
			rapid.Map(rapid.Int64(), gear.Int), rapid.Map(rapid.Float64(), gear.Float), rapid.Map(rapid.Bool(), gear.Bool),
			rapid.Map(rapid.String(), gear.String), rapid.Map(rapid.String(), gear.Enum),
			rapid.Map(rapid.Int64(), func(n int64) gear.Value { return gear.Duration(time.Duration(n)) }),
			rapid.SampledFrom([]gear.Value{{}, gear.Float(0), gear.Float(1e300), gear.Float(math.Inf(1)), gear.Float(math.Copysign(0, -1))}),
		).Draw(t, "value")
		b, err := json.Marshal(valueDoc(v))
		require.NoError(t, err)
		var got valueDoc
		require.NoError(t, json.Unmarshal(b, &got))
		require.Equal(t, v, gear.Value(got), "%s", b)
	})
	b, err := json.Marshal(valueDoc(gear.Float(math.NaN())))
	require.NoError(t, err)
	var got valueDoc
	require.NoError(t, json.Unmarshal(b, &got))
	require.True(t, math.IsNaN(gear.Value(got).Float()))
	for _, bad := range []string{`{"float":"x"}`, `{"what":"x"}`, `[1]`, `1e`, `{}`, `99999999999999999999`} {
		require.Error(t, json.Unmarshal([]byte(bad), &got), bad)
	}
}
