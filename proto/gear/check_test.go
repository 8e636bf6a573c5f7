package gear_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
)

func tagCount() gear.Param {
	return gear.Param{Name: "tag_count", Kind: gear.KindInt, Unit: "tags", Min: gear.Int(10), Max: gear.Int(200), Default: gear.Int(100)}
}

func TestTableWordingNamesTheLevel(t *testing.T) {
	table := &gear.LevelTable{Params: []gear.TableParam{{Name: "tag_count", Kind: gear.KindInt}}}
	for l := range 10 {
		table.Rows = append(table.Rows, []gear.Value{gear.Int(int64(20 * (l + 1)))})
		table.Work = append(table.Work, float64(l+1)/10)
	}
	table.Rows[8][0] = gear.Int(250)
	table.Hash = table.ComputeHash()
	require.Equal(t, gear.Problems{{Path: "rows[8].tag_count", Code: "range", Message: "tag_count wants int 10..200, got 250 at level 9"}},
		gear.CheckTable([]gear.Param{tagCount()}, table))

	table.Rows[8][0] = gear.Int(180)
	require.Equal(t, gear.CodeHash, gear.CheckTable([]gear.Param{tagCount()}, table)[0].Code)
	table.Hash = table.ComputeHash()
	require.Empty(t, gear.CheckTable([]gear.Param{tagCount()}, table))

	other := tagCount()
	other.Name = "docs"
	problems := gear.CheckTable([]gear.Param{other}, table)
	require.Equal(t, gear.Problems{
		{Path: "params.docs", Code: "required", Message: "docs wants int 10..200, got nothing"},
		{Path: "params.tag_count", Code: "unknown", Message: "tag_count is not declared by this point"},
	}, problems)

	asFloat := tagCount()
	asFloat.Kind, asFloat.Min, asFloat.Max = gear.KindFloat, gear.Float(10), gear.Float(200)
	require.Equal(t, "tag_count wants float 10..200, got a column of int", gear.CheckTable([]gear.Param{asFloat}, table)[0].Message)
}

func TestTableShapeProblems(t *testing.T) {
	sound := func() *gear.LevelTable {
		return &gear.LevelTable{
			Params: []gear.TableParam{{Name: "a", Kind: gear.KindFloat}, {Name: "b", Kind: gear.KindEnum}},
			Rows:   [][]gear.Value{{gear.Float(1), gear.Enum("x")}, {gear.Float(2), gear.Enum("y")}},
			Work:   []float64{0.5, 1},
		}
	}
	require.Empty(t, sound().CheckShape())
	for name, c := range map[string]struct {
		spoil func(*gear.LevelTable)
		path  string
		code  string
	}{
		"no rows":       {func(t *gear.LevelTable) { t.Rows = nil }, "rows", gear.CodeLength},
		"too many rows": {func(t *gear.LevelTable) { t.Rows = make([][]gear.Value, 101) }, "rows", gear.CodeLength},
		"many columns":  {func(t *gear.LevelTable) { t.Params = make([]gear.TableParam, 65) }, "params", gear.CodeLength},
		"short row":     {func(t *gear.LevelTable) { t.Rows[1] = t.Rows[1][:1] }, "rows[1]", gear.CodeShape},
		"blank value":   {func(t *gear.LevelTable) { t.Rows[1][0] = gear.Value{} }, "rows[1].a", gear.CodeRequired},
		"NaN":           {func(t *gear.LevelTable) { t.Rows[1][0] = gear.Float(math.NaN()) }, "rows[1].a", gear.CodeFinite},
		"wrong kind":    {func(t *gear.LevelTable) { t.Rows[0][0] = gear.Int(1) }, "rows[0].a", gear.CodeType},
		"twice":         {func(t *gear.LevelTable) { t.Params[1].Name = "a" }, "params[1]", gear.CodeDuplicate},
		"blank name":    {func(t *gear.LevelTable) { t.Params[1].Name = "" }, "params[1]", gear.CodeName},
		"future kind":   {func(t *gear.LevelTable) { t.Params[0].Kind = 9 }, "params[0]", gear.CodeType},
		"work missing":  {func(t *gear.LevelTable) { t.Work = t.Work[:1] }, "work", gear.CodeShape},
		"work zero":     {func(t *gear.LevelTable) { t.Work[0] = 0 }, "work[0]", gear.CodeRange},
		"work NaN":      {func(t *gear.LevelTable) { t.Work[0] = math.NaN() }, "work[0]", gear.CodeRange},
		"hash":          {func(t *gear.LevelTable) { t.Hash = "00" }, "hash", gear.CodeHash},
	} {
		table := sound()
		c.spoil(table)
		problems := table.CheckShape()
		require.NotEmpty(t, problems, name)
		require.Equal(t, c.path, problems[0].Path, name)
		require.Equal(t, c.code, problems[0].Code, name)
		require.Equal(t, problems, gear.CheckTable(nil, table), name)
	}
}

func soundSet() (*gear.OrderSet, func(string) *gear.LevelTable) {
	table := &gear.LevelTable{
		Params: []gear.TableParam{{Name: "tag_count", Kind: gear.KindInt}},
		Rows:   [][]gear.Value{{gear.Int(10)}, {gear.Int(20)}, {gear.Int(30)}},
		Work:   []float64{1. / 3, 2. / 3, 1},
	}
	table.Hash = table.ComputeHash()
	order := gear.Order{
		Scene: gear.Any, Point: "recall", Bucket: gear.Any, Table: table.Hash, Strategy: gear.StrategyCrowdRT,
		Settings: []gear.Setting{{Name: gear.SettingInterval, Value: gear.Duration(10 * time.Second)}},
		Level:    2, MinLevel: 1, MaxLevel: 3, AvailableRT: 8 * time.Millisecond, Template: "recall", TemplateVersion: 1,
	}
	k2 := order
	k2.Scene = "k2"
	set := &gear.OrderSet{App: "sn", IDC: "na61", Epoch: 1, Revision: 7, Orders: []gear.Order{order, k2}}
	return set, func(h string) *gear.LevelTable {
		if h == table.Hash {
			return table
		}
		return nil
	}
}

func TestOrderSetProblems(t *testing.T) {
	set, lookup := soundSet()
	require.Empty(t, gear.CheckOrderSet(set, lookup))
	for name, c := range map[string]struct {
		spoil func(*gear.OrderSet)
		path  string
		code  string
	}{
		"blank app":        {func(s *gear.OrderSet) { s.App = "" }, "app", gear.CodeName},
		"any IDC":          {func(s *gear.OrderSet) { s.IDC = gear.Any }, "idc", gear.CodeName},
		"negative":         {func(s *gear.OrderSet) { s.Revision = -1 }, "revision", gear.CodeRange},
		"blank scene":      {func(s *gear.OrderSet) { s.Orders[0].Scene = "" }, "orders[0].scene", gear.CodeName},
		"duplicate":        {func(s *gear.OrderSet) { s.Orders[1].Scene = gear.Any }, "orders[1]", gear.CodeDuplicate},
		"unknown table":    {func(s *gear.OrderSet) { s.Orders[1].Table = "x" }, "orders[1].table", gear.CodeUnknown},
		"level above":      {func(s *gear.OrderSet) { s.Orders[1].Level = 4 }, "orders[1].level", gear.CodeRange},
		"level below":      {func(s *gear.OrderSet) { s.Orders[1].MinLevel = 0 }, "orders[1].level", gear.CodeRange},
		"max beyond table": {func(s *gear.OrderSet) { s.Orders[1].MaxLevel = 4 }, "orders[1].level", gear.CodeRange},
		"unknown strategy": {func(s *gear.OrderSet) { s.Orders[1].Strategy = "magic" }, "orders[1].strategy", gear.CodeUnknown},
		"setting": {func(s *gear.OrderSet) {
			s.Orders[1].Settings = []gear.Setting{{Name: "interval", Value: gear.Duration(time.Millisecond)}}
		}, "orders[1].settings.interval", gear.CodeRange},
		"unknown setting": {func(s *gear.OrderSet) {
			s.Orders[1].Settings = []gear.Setting{{Name: "warp", Value: gear.Int(1)}}
		}, "orders[1].settings.warp", gear.CodeUnknown},
		"setting twice": {func(s *gear.OrderSet) {
			s.Orders[1].Settings = append([]gear.Setting{s.Orders[0].Settings[0]}, s.Orders[0].Settings...)
		}, "orders[1].settings.interval", gear.CodeDuplicate},
		"no setpoint": {func(s *gear.OrderSet) { s.Orders[1].AvailableRT = 0 }, "orders[1].available_rt", gear.CodeRange},
		"no timeout":  {func(s *gear.OrderSet) { s.Orders[1].Strategy, s.Orders[1].Settings = gear.StrategyExternalTimeout, nil }, "orders[1].timeout", gear.CodeRange},
		"huge":        {func(s *gear.OrderSet) { s.Orders = make([]gear.Order, gear.MaxOrders+1) }, "orders", gear.CodeLength},
	} {
		set, lookup := soundSet()
		c.spoil(set)
		problems := gear.CheckOrderSet(set, lookup)
		require.NotEmpty(t, problems, name)
		require.Equal(t, c.path, problems[0].Path, name)
		require.Equal(t, c.code, problems[0].Code, name)
	}
}

func TestHashesFollowContentOnly(t *testing.T) {
	a, _ := soundSet()
	b, _ := soundSet()
	b.Epoch, b.Revision, b.Hash = 9, 99, "whatever"
	require.Equal(t, a.ComputeHash(), b.ComputeHash())
	require.Len(t, a.ComputeHash(), 32)
	seen := map[string]bool{a.ComputeHash(): true}
	for i, spoil := range []func(*gear.Order){
		func(o *gear.Order) { o.Level++ },
		func(o *gear.Order) { o.Pinned = true },
		func(o *gear.Order) { o.AvailableRT++ },
		func(o *gear.Order) { o.Timeout++ },
		func(o *gear.Order) { o.Settings = nil },
		func(o *gear.Order) { o.Scene, o.Point = o.Scene+"r", "ecall" },
		func(o *gear.Order) { o.TemplateVersion++ },
	} {
		set, _ := soundSet()
		spoil(&set.Orders[1])
		h := set.ComputeHash()
		require.False(t, seen[h], i)
		seen[h] = true
	}
}

func TestStrategySettingsAreSoundDeclarations(t *testing.T) {
	for _, s := range gear.Strategies() {
		params := gear.StrategyParams(s)
		require.NotNil(t, params)
		var settings []gear.Setting
		seen := map[string]bool{}
		for _, p := range params {
			require.Empty(t, p.CheckDecl(), p.Name)
			require.False(t, seen[p.Name])
			seen[p.Name] = true
			v := p.Default
			if v.IsZero() {
				v = p.Min
			}
			settings = append(settings, gear.Setting{Name: p.Name, Value: v})
		}
		require.Empty(t, gear.CheckSettings(s, settings))
	}
	require.Nil(t, gear.StrategyParams("magic"))
}

func TestProblemsAreCapped(t *testing.T) {
	var p gear.Problems
	for range 500 {
		p.Add("x", gear.CodeType, "bad")
	}
	require.Len(t, p, gear.MaxProblems+1)
	require.Equal(t, gear.CodeMore, p[gear.MaxProblems].Code)
	require.Equal(t, "a[1].x", p.Under("a[1]")[0].Path)
	require.Equal(t, "a[1]", gear.JoinPath("a", "[1]"))
}

func TestMessagesRepeatNothingThatBreaksALine(t *testing.T) {
	p := gear.Param{Name: "label", Kind: gear.KindEnum, Values: []string{"a"}}
	x, ok := p.Check(gear.Enum("x\nlevel=ERROR \u202e<img onerror>"))
	require.False(t, ok)
	require.Equal(t, `label wants enum a, got "x�level=ERROR �<img onerror>"`, x.Message)
}
