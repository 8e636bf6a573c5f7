package sketch_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/sketch"
)

func TestMergeRefusesMalformedBytes(t *testing.T) {
	full := bytes.Repeat([]byte{0xff}, 8)
	cases := map[string][]byte{
		"format":              {2, 0, 1, 1},
		"no block":            {1},
		"unknown block kind":  {1, 0x40, 1, 1},
		"octave out of range": {1, 26, 1, 1},
		"octave repeated":     {1, 3, 1, 1, 3, 1, 1},
		"octaves fall":        {1, 3, 1, 1, 2, 1, 1},
		"list without length": {1, 3},
		"list empty":          {1, 3, 0},
		"list too long":       append([]byte{1, 3, 15}, 1, 5, 9, 13, 17, 21, 25, 29, 33, 37, 41, 45, 49, 53, 57),
		"list cut short":      {1, 3, 2, 1},
		"cells repeated":      {1, 3, 2, 1, 1},
		"cells fall":          {1, 3, 2, 5, 1},
		"late count missing":  {1, 3, 1, 0},
		"late count padded":   {1, 3, 1, 0, 0x80, 0x00},
		"late count too big":  {1, 3, 1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
		"late count overflow": {1, 3, 1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
		"map cut short":       {1, 0x83, 1, 2, 3},
		"map too small":       append([]byte{1, 0x83, 1, 0, 0, 0, 0, 0, 0, 0}, 1),
		"counts cut short":    append(append([]byte{1, 0x83}, full...), 0x11, 0x11),
		"empty cell in map":   append(append([]byte{1, 0x83}, full...), bytes.Repeat([]byte{0x10}, 32)...),
		"escape unmatched":    append(append([]byte{1, 0x83}, full...), bytes.Repeat([]byte{0xff}, 32)...),
		"padding nibble set":  append([]byte{1, 0x83, 0xff, 0x7f, 0, 0, 0, 0, 0, 0}, bytes.Repeat([]byte{0x11}, 8)...),
		"padding byte set":    append([]byte{1, 0xa3, 0xff, 0x7f, 0, 0, 0, 0, 0, 0}, bytes.Repeat([]byte{0x11}, 16)...),
		"fault in 2nd word":   append(append([]byte{1, 0xa3}, full...), append(bytes.Repeat([]byte{0x11}, 40), bytes.Repeat([]byte{0}, 24)...)...),
		"fault after a block": append([]byte{1, 2, 3, 1, 5, 8, 0}, 0x83, 1),
	}
	for name, wire := range cases {
		t.Run(name, func(t *testing.T) {
			var s sketch.Sum
			s.Record(700, 9)
			s.Record(3, 1)
			before := s.AppendTo(nil)
			require.ErrorIs(t, s.Merge(wire), sketch.ErrMalformed)
			require.Equal(t, before, s.AppendTo(nil), "a refused sketch changes nothing")
			require.EqualValues(t, 10, s.Count())
		})
	}
}

// Whatever Merge takes, it writes again without loss; whatever it refuses leaves
// no trace.
func FuzzMerge(f *testing.F) {
	var s sketch.Sketch
	f.Add([]byte{})
	for i := range uint64(5) {
		for v := range uint64(3000) {
			s.Record(v * v >> i)
		}
		f.Add(s.AppendTo(nil))
		s.Drain(nil)
		s.Record(1 << (6 * i))
		f.Add(s.AppendTo(nil))
	}
	f.Fuzz(func(t *testing.T, wire []byte) {
		var s sketch.Sum
		if err := s.Merge(wire); err != nil {
			require.ErrorIs(t, err, sketch.ErrMalformed)
			require.Zero(t, s.Count())
			require.Empty(t, s.AppendTo(nil))
			return
		}
		again := s.AppendTo(nil)
		require.Equal(t, s.Count(), sum(t, again).Count())
		require.Equal(t, again, sum(t, again).AppendTo(nil))
		if _, ok := s.Quantile(0.99); ok != (s.Count() > 0) {
			t.Fatal("a quantile exists when there is a value")
		}
	})
}
