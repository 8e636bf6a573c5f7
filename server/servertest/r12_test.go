package servertest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/servertest"
	"github.com/allspark/allspark/server/storetest/services"
)

// TestR12: two operators edit the same template from the same base, a thousand
// times. Exactly one wins; the other is told base, mine and theirs; nothing that
// was acknowledged is lost.
func TestR12(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { race(t, servertest.Serve(t, servertest.Settings(t.TempDir())), 1000/less) })
	t.Run("postgres", func(t *testing.T) {
		cfg := servertest.Settings(t.TempDir())
		cfg.Database = services.Postgres(t)
		race(t, servertest.Serve(t, cfg), 50)
	})
}

// edit is the document as one operator leaves it in one round.
func edit(operator string, round int) *api.TemplateDocument {
	d := servertest.Recall("raced", 100+round%100)
	d.Description = fmt.Sprintf("%s in round %d", operator, round)
	return d
}

func race(t *testing.T, s *servertest.Server, rounds int) {
	// made takes a document out of a conflict and tells whose it is.
	made := func(raw json.RawMessage) string {
		var d api.TemplateDocument
		require.NoError(t, json.Unmarshal(raw, &d), "%s", raw)
		return d.Description
	}
	etag := s.Do(http.MethodPost, "/templates", edit("nobody", 0), nil).ETag
	base := edit("nobody", 0).Description
	wins := map[string]int{}
	for round := 1; round <= rounds; round++ {
		operators := [2]string{"ann", "bob"}
		var answers [2]servertest.Answer
		var errs [2]error
		var both sync.WaitGroup
		for i, who := range operators {
			both.Go(func() {
				answers[i], errs[i] = s.Try(http.MethodPut, "/templates/raced/draft", edit(who, round), "If-Match", etag)
			})
		}
		both.Wait()
		require.NoError(t, errs[0])
		require.NoError(t, errs[1])
		winner := 0
		if answers[0].Status != http.StatusOK {
			winner = 1
		}
		won, lost := answers[winner], answers[1-winner]
		require.Equal(t, http.StatusOK, won.Status, "round %d: %s", round, won.Body)
		require.Equal(t, http.StatusConflict, lost.Status, "round %d: %s", round, lost.Body)
		wins[operators[winner]]++

		p := lost.Problem(t)
		require.Equal(t, "stale", p.Code)
		require.NotNil(t, p.Conflict)
		theirs := edit(operators[winner], round).Description
		require.Equal(t, base, made(p.Conflict.Base), "round %d", round)
		require.Equal(t, edit(operators[1-winner], round).Description, made(p.Conflict.Mine))
		require.Equal(t, theirs, made(p.Conflict.Theirs))
		require.Equal(t, won.ETag, p.Conflict.ETag)

		var stored api.TemplateDetail
		require.NoError(t, json.Unmarshal(won.Body, &stored))
		require.EqualValues(t, round+1, stored.Version, "one write a round")
		etag, base = won.ETag, theirs
	}
	var last api.TemplateDetail
	s.Do(http.MethodGet, "/templates/raced", nil, &last)
	require.Equal(t, base, last.Draft.Description, "what was acknowledged last is what is stored")
	require.Equal(t, rounds, wins["ann"]+wins["bob"])
	t.Logf("%d rounds: ann won %d, bob %d", rounds, wins["ann"], wins["bob"])
}
