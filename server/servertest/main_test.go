package servertest_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/allspark/allspark/server/servertest"
)

// slack is what a machine that is busy with other tests may add to a bound.
const slack = 2 * time.Second

func TestMain(m *testing.M) {
	code := m.Run()
	servertest.RemoveBinary()
	os.Exit(code)
}

func containsAll(text string, parts ...string) bool {
	for _, p := range parts {
		if !strings.Contains(text, p) {
			return false
		}
	}
	return true
}
