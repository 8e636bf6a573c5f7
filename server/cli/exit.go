package cli

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/allspark/allspark/server/api"
)

// usageError is a command line that makes no sense.
type usageError struct{ text string }

func (u *usageError) Error() string { return u.text }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// args marks errors of an argument check as usage errors.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, given []string) error {
		if err := check(cmd, given); err != nil {
			return usagef("%v; usage: %s", err, cmd.UseLine())
		}
		return nil
	}
}

// ExitCode maps an error to the process's exit code; doc.go lists them.
func ExitCode(err error) int {
	if err == nil {
		return 0
	}
	if usage := (*usageError)(nil); errors.As(err, &usage) || strings.HasPrefix(err.Error(), "unknown command") {
		return 2
	}
	if gone := (*unreachable)(nil); errors.As(err, &gone) {
		return 7
	}
	if p := (*api.Problem)(nil); errors.As(err, &p) {
		switch p.Status {
		case http.StatusNotFound:
			return 3
		case http.StatusUnauthorized, http.StatusForbidden:
			return 4
		case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusRequestEntityTooLarge:
			return 5
		case http.StatusConflict, http.StatusPreconditionRequired, http.StatusLocked:
			return 6
		case http.StatusServiceUnavailable, http.StatusBadGateway, http.StatusGatewayTimeout, http.StatusTooManyRequests:
			return 7
		}
	}
	return 1
}
