package gear_test

import (
	"encoding/json"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/allspark/allspark/proto/gear"
)

func TestValuesReadBackEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.OneOf(
			rapid.Map(rapid.Int64(), gear.Int),
			rapid.Map(rapid.Float64(), gear.Float),
			rapid.Map(rapid.Bool(), gear.Bool),
			rapid.Map(rapid.String(), gear.String),
			rapid.Map(rapid.String(), gear.Enum),
			rapid.Map(rapid.Int64Range(-math.MaxInt64, math.MaxInt64), func(n int64) gear.Value { return gear.Duration(time.Duration(n)) }),
			rapid.Just(gear.Value{}),
		).Draw(t, "value")
		b, err := v.MarshalText()
		require.NoError(t, err)
		var back gear.Value
		require.NoError(t, back.UnmarshalText(b))
		require.Equal(t, v, back)
		if v.Kind() == gear.KindFloat {
			js, err := json.Marshal(v.Float())
			require.NoError(t, err)
			require.Equal(t, string(js), v.Format(), "floats are worded as ECMAScript words them")
		}
	})
}

func TestDurationsAreExact(t *testing.T) {
	units := map[string]int64{"ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3600e9}
	rapid.Check(t, func(t *rapid.T) {
		text, sum := "", new(big.Rat)
		for range rapid.IntRange(1, 3).Draw(t, "parts") {
			number := rapid.StringMatching(`[0-9]{1,9}(\.[0-9]{1,12})?`).Draw(t, "number")
			unit := rapid.SampledFrom([]string{"ns", "us", "µs", "ms", "s", "m", "h"}).Draw(t, "unit")
			x, ok := new(big.Rat).SetString(number)
			require.True(t, ok)
			sum.Add(sum, x.Mul(x, new(big.Rat).SetInt64(units[unit])))
			text += number + unit
			if !x.IsInt() {
				sum.SetFrac64(1, 2) // one part is no whole number: all is refused
				_, ok := gear.ParseDuration(text)
				require.False(t, ok, text)
				return
			}
		}
		d, ok := gear.ParseDuration(text)
		fits := sum.IsInt() && sum.Num().IsInt64() && len(text) <= 64
		require.Equal(t, fits, ok, text)
		if ok {
			require.Equal(t, sum.Num().Int64(), int64(d), text)
		}
	})
}

func TestIntStepsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Int64().Draw(t, "min")
		v := rapid.Int64Range(lo, math.MaxInt64).Draw(t, "value")
		step := rapid.Int64Range(1, 1_000_000).Draw(t, "step")
		p := gear.Param{Name: "n", Kind: gear.KindInt, Min: gear.Int(lo), Step: gear.Int(step)}
		require.Empty(t, p.CheckDecl())
		_, ok := p.Check(gear.Int(v))
		rest := new(big.Int).Sub(big.NewInt(v), big.NewInt(lo))
		require.Equal(t, rest.Mod(rest, big.NewInt(step)).Sign() == 0, ok)
	})
}

// FuzzScalar: no source text makes the check panic, accept what it then cannot
// hold, or word a message that breaks a line.
func FuzzScalar(f *testing.F) {
	for _, s := range []string{"1", "-0", "1e400", "8ms", ".nan", "x\ny", "\xff", "9223372036854775808", "1.5h30m"} {
		f.Add(s, false, uint8(1))
	}
	f.Fuzz(func(t *testing.T, text string, quoted bool, kind uint8) {
		p := gear.Param{Name: "x", Kind: gear.Kind(kind%6 + 1), Values: []string{"a"}}
		v, bad, ok := p.Parse(gear.Scalar(text, quoted))
		if !ok {
			require.NotEmpty(t, bad.Code)
			require.False(t, strings.ContainsAny(bad.Message, "\n\r\x00"))
			return
		}
		_, ok = p.Check(v)
		require.True(t, ok)
		b, err := v.MarshalText()
		require.NoError(t, err)
		var back gear.Value
		require.NoError(t, back.UnmarshalText(b))
		require.Equal(t, v, back)
	})
}
