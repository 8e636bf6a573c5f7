package gear_test

import (
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
)

var update = flag.Bool("update", false, "rewrite the expectations of the golden file; review the diff")

// goldenFile is read by this test and by the console's type check. A value is
// given as its token and source text, bounds of a declaration as plain or quoted
// source text ("10", "\"8ms\"").
type goldenFile struct {
	Comment      string       `json:"comment"`
	Values       []goldenCase `json:"values"`
	Declarations []goldenDecl `json:"declarations"`
	Durations    []goldenText `json:"durations"`
	Scalars      []goldenText `json:"scalars"`
}

type goldenParam struct {
	Name      string   `json:"name"`
	Type      string   `json:"type"`
	Unit      string   `json:"unit,omitempty"`
	Min       string   `json:"min,omitempty"`
	Max       string   `json:"max,omitempty"`
	Step      string   `json:"step,omitempty"`
	Default   string   `json:"default,omitempty"`
	Values    []string `json:"values,omitempty"`
	Monotonic string   `json:"monotonic,omitempty"`
}

type goldenCase struct {
	Case   string       `json:"case"`
	Param  goldenParam  `json:"param"`
	Token  string       `json:"token"`
	Text   string       `json:"text"`
	Repeat int          `json:"repeat,omitempty"` // the text stands that many times
	Wants  string       `json:"wants"`            // Param.Text
	Value  string       `json:"value,omitempty"`  // kind:text of the value read
	Bad    gear.Problem `json:"problem,omitzero"`
}

type goldenDecl struct {
	Case     string        `json:"case"`
	Param    goldenParam   `json:"param"`
	Problems gear.Problems `json:"problems"`
}

type goldenText struct {
	Text string `json:"text"`
	Is   string `json:"is"`
}

func bound(text string) *gear.Raw {
	if text == "" {
		return nil
	}
	if n := len(text); n >= 2 && text[0] == '"' {
		r := gear.Scalar(text[1:n-1], true)
		return &r
	}
	r := gear.Scalar(text, false)
	return &r
}

func (g goldenParam) decl() gear.RawDecl {
	return gear.RawDecl{
		Name: g.Name, Type: g.Type, Unit: g.Unit, Values: g.Values, Monotonic: g.Monotonic,
		Min: bound(g.Min), Max: bound(g.Max), Step: bound(g.Step), Default: bound(g.Default),
	}
}

var tokens = map[string]gear.Token{
	"null": gear.TokenNull, "number": gear.TokenNumber, "bool": gear.TokenBool,
	"string": gear.TokenString, "list": gear.TokenList, "map": gear.TokenMap,
}

func TestGoldenTypeCheck(t *testing.T) {
	const file = "testdata/typecheck.json"
	body, err := os.ReadFile(file)
	require.NoError(t, err)
	var want goldenFile
	require.NoError(t, json.Unmarshal(body, &want))
	got := want
	got.Values, got.Declarations = nil, nil
	got.Durations, got.Scalars = nil, nil

	for _, c := range want.Values {
		p, problems := c.Param.decl().Param()
		require.Empty(t, problems, c.Case)
		token, known := tokens[c.Token]
		require.True(t, known, c.Case)
		text := c.Text
		for range c.Repeat - 1 {
			text += c.Text
		}
		v, bad, ok := p.Parse(gear.Raw{Token: token, Text: text})
		c.Wants, c.Value, c.Bad = p.Text(), "", bad
		if ok {
			b, err := v.MarshalText()
			require.NoError(t, err)
			c.Value = string(b)
			var back gear.Value
			require.NoError(t, back.UnmarshalText(b))
			require.Equal(t, v, back)
		}
		got.Values = append(got.Values, c)
	}
	for _, c := range want.Declarations {
		_, c.Problems = c.Param.decl().Param()
		if c.Problems == nil {
			c.Problems = gear.Problems{}
		}
		got.Declarations = append(got.Declarations, c)
	}
	for _, c := range want.Durations {
		c.Is = "refused"
		if d, ok := gear.ParseDuration(c.Text); ok {
			c.Is = gear.Duration(d).Format()
			back, ok := gear.ParseDuration(c.Is)
			require.True(t, ok)
			require.Equal(t, d, back)
		}
		got.Durations = append(got.Durations, c)
	}
	for _, c := range want.Scalars {
		c.Is = gear.Scalar(c.Text, false).Token.String()
		got.Scalars = append(got.Scalars, c)
	}
	if *update {
		b, err := json.MarshalIndent(got, "", " ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, append(b, '\n'), 0o644))
		want = got
	}
	require.GreaterOrEqual(t, len(want.Values), 60)
	require.Equal(t, want, got)
}
