package servertest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/servertest"
)

func agents(p *servertest.Program, app string) []api.Agent {
	var all []api.Agent
	p.JSON(&all, "agents", "--app", app)
	return all
}

// entryRT is the recent mean RT that the caller in front measured for a scene.
func entryRT(p *servertest.Program, scene string) float64 {
	var points []api.PointState
	p.JSON(&points, "points", "--app", "frontend", "--scene", scene)
	var sum, n float64
	for _, x := range points {
		if x.Recent != nil {
			sum += x.Recent.RTMeanMS * float64(x.Recent.Count)
			n += float64(x.Recent.Count)
		}
	}
	if n == 0 {
		return 0
	}
	return sum / n
}

// tagCount reads what an sn machine in force reads for recall in scene k2.
func tagCount(p *servertest.Program) string {
	var x struct {
		Order *api.Order `json:"order"`
	}
	p.JSON(&x, "point", "k2", "sh", "sn", "recall")
	return string(x.Order.Parameters[0].Value)
}

// The main job, as a newcomer does it: the demo and, beside it, the command line.
func TestTheMainJobOnRealProcesses(t *testing.T) {
	dir := t.TempDir()
	p := servertest.Start(t, dir, "demo", "--rate", "20")

	servertest.Eventually(t, "all agents are registered and hold their orders", func() bool {
		held := 0
		for _, app := range []string{"merger", "sn", "feature", "model", "creative"} {
			for _, a := range agents(p, app) {
				if a.State == "connected" && a.Current {
					held++
				}
			}
		}
		return held == 30 && len(agents(p, "frontend")) == 6
	})
	require.Contains(t, p.Must("points", "--app", "sn"), "recall")
	require.Contains(t, p.Output(), "generated now, shown once")

	before := 0.0
	servertest.Eventually(t, "the scene's RT is measured in front", func() bool { before = entryRT(p, "k2"); return before > 0 })
	time.Sleep(10 * time.Second) // a window of ten seconds at the first gears, to compare with
	before = entryRT(p, "k2")

	t.Log("copy a template, change a gear, publish")
	p.Must("template", "copy", "recall-tags", "fewer-tags")
	doc := p.Must("template", "get", "fewer-tags")
	file := filepath.Join(dir, "fewer.yaml")
	write := func(text string) { require.NoError(t, os.WriteFile(file, []byte(text), 0o600)) }
	edited := strings.Replace(doc, "set: {tag_count: 100}", "set: {tag_count: 20}", 1)
	require.NotEqual(t, doc, edited)
	write(edited)
	p.Must("template", "apply", "-f", file, "--publish", "--reason", "fewer tags at the usual gear")
	p.Must("bind", "fewer-tags", "k2", "*", "sn", "recall", "--reason", "try fewer tags on k2")
	servertest.Eventually(t, "every sn agent holds the new revision", func() bool {
		held := 0
		for _, a := range agents(p, "sn") {
			if a.Current {
				held++
			}
		}
		return held == 6 && tagCount(p) == "20"
	})
	servertest.Eventually(t, "the scene's RT falls by a tenth at least", func() bool {
		now := entryRT(p, "k2")
		return now > 0 && now < 0.9*before
	})
	t.Logf("k2 in front: %.0f ms before, %.0f ms after", before, entryRT(p, "k2"))

	t.Log("a template that agents would refuse is refused on save")
	broken := strings.NewReplacer("max: 200", "max: 300", "set: {tag_count: 200}", "set: {tag_count: 250}").Replace(edited)
	write(broken)
	out, err := p.Run("template", "apply", "-f", file, "--publish", "--reason", "too many")
	require.Error(t, err)
	require.Contains(t, out, "3 machines of sn build demo-1 would refuse: tag_count wants int 10..200, got 204 at level 96")
	require.Equal(t, edited, p.Must("template", "get", "fewer-tags"), "nothing changed")

	t.Log("forced, it is refused by every agent, shown, not resent, and the last good set stays")
	held := agents(p, "sn")[0].Held
	p.Must("template", "apply", "-f", file, "--publish", "--force", "--reason", "force it through")
	refused := func() (all []api.Agent) {
		for _, a := range agents(p, "sn") {
			if a.LastAck != nil && a.LastAck.Refused {
				all = append(all, a)
			}
		}
		return all
	}
	servertest.Eventually(t, "all six refuse", func() bool { return len(refused()) == 6 })
	first := refused()
	for _, a := range first {
		require.NotEmpty(t, a.LastAck.Problems)
		require.Contains(t, a.LastAck.Problems[0].Message, "tag_count wants int 10..200")
		require.Contains(t, a.LastAck.Problems[0].Path, "orders[")
		require.Greater(t, a.LastAck.Version.Revision, a.Held.Revision)
	}
	require.Equal(t, held.Epoch, first[0].Held.Epoch)
	time.Sleep(3 * time.Second) // longer than any resend would wait
	for i, a := range refused() {
		require.Equal(t, first[i].LastAckAt, a.LastAckAt, "%s was sent the refused revision again", a.Instance)
	}
	require.Less(t, entryRT(p, "k2"), 0.95*before, "the last good gears are still in force")

	t.Log("Ctrl-C ends everything cleanly; a second start keeps the data")
	require.Zero(t, p.Interrupt(), p.Output())
	p = servertest.Start(t, dir, "demo", "--rate", "20")
	require.Contains(t, p.Must("template", "list"), "fewer-tags")
	require.NotContains(t, p.Output(), "generated now")
}
