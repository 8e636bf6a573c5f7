package agentapi

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/fault"
)

// Service serves agents.
type Service struct {
	agentv1.UnimplementedAgentServiceServer

	opt       Options
	admission admission
	stats     counters
	writers   writers

	liveMu sync.Mutex
	live   map[*session]struct{} // nil after Stop

	enrollMu sync.Mutex
	enroll   bucket
}

type counters struct {
	streams, hellos, turnedAway, refused, acks, reports, badReports, cuts, slowed, panics atomic.Int64
}

// Stats counts what happened since the start; Streams is the number now.
type Stats struct {
	Streams    int64 // registered streams now
	Hellos     int64 // registered
	TurnedAway int64 // sent away with a retry_after
	Refused    int64 // hellos refused
	Acks       int64
	Reports    int64 // ingested
	BadReports int64 // not ingested
	Cuts       int64 // stalled or replaced
	Slowed     int64 // frames that had to wait: their sender floods
	Panics     int64
}

// New makes the service. Auth, Hub, Fleet, Reports and Clock are required.
func New(opt Options) *Service {
	return &Service{opt: opt.withDefaults(), admission: admission{apps: map[string]*bucket{}}, live: map[*session]struct{}{}}
}

// Register adds the service to a gRPC server made with ServerOptions.
func (s *Service) Register(g grpc.ServiceRegistrar) { agentv1.RegisterAgentServiceServer(g, s) }

// Stop says goodbye to every stream, with a retry_after. Call the gRPC server's
// GracefulStop or Stop afterwards.
func (s *Service) Stop() {
	s.liveMu.Lock()
	live := s.live
	s.live = nil
	s.liveMu.Unlock()
	for ss := range live {
		go ss.end(errStopping, minRetry+rand.N(maxStopRetry))
	}
}

// enter notes a stream that Stop must end.
func (s *Service) enter(ss *session) error {
	s.liveMu.Lock()
	defer s.liveMu.Unlock()
	if s.live == nil {
		return errStopping
	}
	s.live[ss] = struct{}{}
	return nil
}

func (s *Service) forget(ss *session) {
	s.liveMu.Lock()
	defer s.liveMu.Unlock()
	delete(s.live, ss)
}

// Stats gives the counters.
func (s *Service) Stats() Stats {
	c := &s.stats
	return Stats{
		Streams: c.streams.Load(), Hellos: c.hellos.Load(), TurnedAway: c.turnedAway.Load(), Refused: c.refused.Load(), Acks: c.acks.Load(),
		Reports: c.reports.Load(), BadReports: c.badReports.Load(), Cuts: c.cuts.Load(), Slowed: c.slowed.Load(), Panics: c.panics.Load(),
	}
}

// Enroll trades an enrolment token, or with an empty token the credential in the
// metadata, for a fresh credential.
func (s *Service) Enroll(ctx context.Context, req *agentv1.EnrollRequest) (*agentv1.EnrollResponse, error) {
	s.enrollMu.Lock()
	ok, after := s.enroll.try(time.Now(), s.opt.EnrollRate, s.opt.EnrollRate)
	s.enrollMu.Unlock()
	if !ok {
		return nil, toStatus(fault.New(fault.RateLimited, "too many enrolments, retry after %s", max(after, minRetry).Round(time.Millisecond)))
	}
	credential, expires, err := s.trade(ctx, req)
	if err != nil {
		return nil, toStatus(err)
	}
	return &agentv1.EnrollResponse{Credential: credential, ExpiresAtNs: expires.UnixNano()}, nil
}

func (s *Service) trade(ctx context.Context, req *agentv1.EnrollRequest) (string, time.Time, error) {
	if req.GetToken() == "" {
		credential, err := bearer(ctx)
		if err != nil {
			return "", time.Time{}, err
		}
		id, err := s.opt.Auth.Verify(ctx, credential)
		if err != nil {
			return "", time.Time{}, err
		}
		if reason := s.opt.Fleet.Banned(id.Instance); reason != "" {
			return "", time.Time{}, fault.New(fault.Forbidden, "agent %s is banned: %s", id.Instance, gear.Shown(reason))
		}
		return s.opt.Auth.Renew(ctx, credential)
	}
	for _, f := range []struct{ path, name string }{
		{"app", req.GetApp()}, {"idc", req.GetIdc()}, {"instance", req.GetInstance()}, {"host", req.GetHost()},
	} {
		if f.name == "" && f.path == "host" {
			continue
		}
		if !gear.PlaceName(f.name) {
			return "", time.Time{}, fault.WithProblems(gear.Problems{{
				Path: f.path, Code: "name", Message: f.path + " wants letters, digits, '.', '_' and '-', got \"" + gear.Shown(f.name) + "\"",
			}}, "enrolment refused")
		}
	}
	if reason := s.opt.Fleet.Banned(req.GetInstance()); reason != "" {
		return "", time.Time{}, fault.New(fault.Forbidden, "agent %s is banned: %s", req.GetInstance(), gear.Shown(reason))
	}
	return s.opt.Auth.Enroll(ctx, req.GetToken(), req.GetApp(), req.GetIdc(), req.GetHost(), req.GetInstance())
}

func bearer(ctx context.Context) (string, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	for _, v := range md.Get("authorization") {
		if scheme, token, ok := strings.Cut(v, " "); ok && strings.EqualFold(scheme, "Bearer") && token != "" {
			return token, nil
		}
	}
	return "", fault.New(fault.Unauthorized, "the stream carries no credential: enrol first")
}
