package cli

import (
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/allspark/allspark/server/api"
)

func (s *session) sceneDraft() *cobra.Command {
	return &cobra.Command{
		Use: "draft NAME", Short: "Draft a scene's graph from traffic (-o json gives it whole)", Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error {
			cl, err := s.connect()
			if err != nil {
				return err
			}
			var x api.SceneDraft
			r := call{method: http.MethodPost, path: "/scenes/draft", body: api.SceneDraftInput{Scene: a[0]}}
			if _, err := cl.do(cmd.Context(), r, &x); err != nil {
				return err
			}
			return s.show(cmd, x, func(w io.Writer) {
				row(w, "NODE", "EXTERNAL", "WITHIN", "FED BY", "SEEN")
				for i, n := range x.Graph.Nodes {
					row(w, n.ID, yes(n.External), n.Within, n.FedBy, x.Nodes[i].Seen)
				}
				row(w)
				row(w, "FROM", "TO", "SEEN", "OF")
				for _, e := range x.Edges {
					row(w, e.From, e.To, e.Seen, e.Of)
				}
				for _, l := range x.Left {
					fmt.Fprintf(w, "left out: %s/%s: %s\n", inert(l.Place.App), inert(l.Place.Point), inert(l.Reason))
				}
			})
		},
	}
}
