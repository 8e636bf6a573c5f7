package auth

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"strings"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
)

// AdminName is the first user's name.
const AdminName = "admin"

// system is the author of what the controller makes by itself.
func system(reason string) audit.Change {
	return audit.Change{Actor: "system:auth", Via: "loop", Reason: reason}
}

// Bootstrap makes the first administrator when there is no user at all, and
// returns the generated password for the caller to print once; "" when there is
// nothing to do. There is no default password.
func (s *Service) Bootstrap(ctx context.Context) (name, password string, err error) {
	users, err := s.store.ListUsers(ctx)
	if err != nil || len(users) > 0 {
		return "", "", err
	}
	u := &User{Name: AdminName, Display: "Administrator", Grants: []Grant{{Role: Admin, App: gear.Any, IDC: gear.Any}}}
	password, err = s.CreateUser(ctx, nil, u, "", system("first start"))
	if fault.Is(err, fault.Conflict) {
		return "", "", nil // another replica was faster; it has printed its password
	}
	return AdminName, password, err
}

// LocalToken gives an API token for the CLI on the same machine: the one passed
// in while it still has a day to live, else a new one.
func (s *Service) LocalToken(ctx context.Context, current string, role Role) (string, error) {
	if id, err := s.Authenticate(current, AudienceCLI); err == nil && id.Kind == KindToken && time.Until(id.Expires) > 24*time.Hour {
		return current, nil
	}
	_, secret, err := s.IssueToken(ctx, nil, uniqueName("local-cli"), []Grant{{Role: role, App: gear.Any, IDC: gear.Any}}, DefaultTokenLife, system("command line on this machine"))
	return secret, err
}

// LocalEnrolToken gives an enrolment token for agents on the same machine.
func (s *Service) LocalEnrolToken(ctx context.Context, current string) (string, error) {
	if v := s.view.Load(); v != nil && strings.HasPrefix(current, enrolPrefix) {
		if t, ok := v.enrol[hashSecret(current)]; ok && time.Until(t.Expires) > 24*time.Hour {
			return current, nil
		}
	}
	_, secret, err := s.IssueEnrolToken(ctx, uniqueName("local-agents"), gear.Any, gear.Any, DefaultTokenLife, system("agents on this machine"))
	return secret, err
}

func uniqueName(prefix string) string {
	b := make([]byte, 4)
	rand.Read(b)
	return prefix + "-" + hex.EncodeToString(b)
}
