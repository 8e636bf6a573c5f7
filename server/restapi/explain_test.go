package restapi

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/control"
)

// A console words verdicts by code: the document names every one.
func TestEveryVerdictIsInTheDocument(t *testing.T) {
	f, ok := reflect.TypeFor[api.ExplainRow]().FieldByName("ReasonCode")
	require.True(t, ok)
	require.Equal(t, control.VerdictCodes(), strings.Split(f.Tag.Get("enum"), ","))
}

// So it does with causes.
func TestEveryCauseIsInTheDocument(t *testing.T) {
	f, ok := reflect.TypeFor[api.Cause]().FieldByName("Code")
	require.True(t, ok)
	require.Equal(t, control.CauseCodes(), strings.Split(f.Tag.Get("enum"), ","))
}
