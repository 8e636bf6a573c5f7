package fanout_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/allspark/allspark/scripts/bench/fanout"
)

func TestMain(m *testing.M) {
	if fanout.Child(map[string]fanout.Side{"base": fanout.Base}) {
		return
	}
	os.Exit(m.Run())
}

func BenchmarkFanout(b *testing.B) {
	for _, n := range []int{1000, 5000} {
		b.Run(fmt.Sprintf("base/%d", n), func(b *testing.B) { fanout.Run(b, "base", n) })
	}
}
