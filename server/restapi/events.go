package restapi

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"

	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/fault"
)

const (
	// checkEvery is how often a stream asks whether its caller still may read.
	checkEvery = time.Second
	// beatEvery keeps proxies from closing a quiet stream.
	beatEvery = 15 * time.Second
	// writeTimeout cuts a reader whose connection takes nothing.
	writeTimeout = 10 * time.Second
)

func (s *Server) eventRoutes() {
	handle(s, endpoint{
		method: http.MethodGet, path: "/events", id: "events", tag: "Events", verb: auth.Read,
		summary: "Follow what happens",
		description: "Server-sent events of the caller's apps and IDCs. Resumes after Last-Event-ID; a reset event says that too much was missed. " +
			"Live figures (type point) have no id and are not repeated. The stream ends within seconds when the session does.",
		responses: map[string]*huma.Response{"200": {Description: "The stream; each data line is an Event.", Content: map[string]*huma.MediaType{
			"text/event-stream": {Schema: s.api.OpenAPI().Components.Schemas.Schema(eventType, true, "Event")},
		}}},
	}, s.events)
}

func (s *Server) events(ctx context.Context, c *caller, in *struct {
	LastEventID string `header:"Last-Event-ID" maxLength:"64" doc:"Id of the last event received."`
	After       string `query:"after" maxLength:"64" doc:"The same, where a header cannot be set."`
},
) (*huma.StreamResponse, error) {
	last := in.LastEventID
	if last == "" {
		last = in.After
	}
	stream, missed, known, room := s.hub.join(c.Actor(), last)
	if !room {
		return nil, fault.New(fault.RateLimited, "too many event streams are open")
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		defer s.hub.leave(stream)
		w := humagin.Unwrap(hc).Writer
		h := w.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("Cache-Control", "no-store")
		h.Set("X-Accel-Buffering", "no")
		w.WriteHeader(http.StatusOK)
		out := &eventWriter{w: bufio.NewWriterSize(w, 16<<10), rc: http.NewResponseController(w)}
		hello := api.Event{Type: "hello", At: time.Now().UTC(), ID: s.hub.head()}
		if !known {
			hello.Type = "reset"
		}
		if last == "" || !known {
			out.event(hello)
		}
		for _, e := range missed {
			if visible(c.Identity, &e) {
				out.event(e)
			}
		}
		if out.flush() != nil {
			return
		}
		s.follow(ctx, c, stream, out)
	}}, nil
}

// follow writes events until the client leaves, the caller is cut, the reader is
// too slow, or the server stops.
func (s *Server) follow(ctx context.Context, c *caller, stream *stream, out *eventWriter) {
	check := time.NewTicker(checkEvery)
	defer check.Stop()
	beat := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-check.C:
			if s.deps.Auth.Current(c.Identity) != nil {
				return
			}
			if time.Since(beat) < beatEvery {
				continue
			}
			out.comment()
		case e, ok := <-stream.ch:
			if !ok {
				return
			}
			// Drain what is there, so that a burst is one write.
			for more := true; more; {
				if visible(c.Identity, &e) {
					out.event(e)
				}
				select {
				case e, ok = <-stream.ch:
					more = ok
				default:
					more = false
				}
			}
		}
		beat = time.Now()
		if out.flush() != nil {
			return
		}
	}
}

// visible reports whether the event concerns the caller.
func visible(i *auth.Identity, e *api.Event) bool {
	if e.App == "" && e.IDC == "" {
		return i.CanSomewhere(auth.Read)
	}
	return seesScope(i, auth.Read, e.App, e.IDC)
}

type eventWriter struct {
	w  *bufio.Writer
	rc *http.ResponseController
}

func (o *eventWriter) event(e api.Event) {
	b, err := json.Marshal(e)
	if err != nil {
		return // our own DTO: cannot happen
	}
	if e.ID != "" {
		fmt.Fprintf(o.w, "id: %s\n", e.ID)
	}
	fmt.Fprintf(o.w, "event: %s\ndata: %s\n\n", e.Type, b)
}

func (o *eventWriter) comment() { fmt.Fprint(o.w, ":\n\n") }

func (o *eventWriter) flush() error {
	// A recorder in a test has no deadline; a real connection always has.
	_ = o.rc.SetWriteDeadline(time.Now().Add(writeTimeout))
	if err := o.w.Flush(); err != nil {
		return err
	}
	return o.rc.Flush()
}
