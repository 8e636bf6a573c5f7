package store

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/allocation"
	"github.com/allspark/allspark/server/profile"
	"github.com/allspark/allspark/server/scene"
)

func TestSceneRecordsKeepEveryField(t *testing.T) {
	s := filled[scene.Scene]()
	sr := toSceneRecord(s)
	through(t, &sr.Body)
	require.Equal(t, s, fromSceneRecord(sr))
	vr := toSceneVersion(s)
	through(t, &vr.Body)
	require.Equal(t, s, fromSceneVersion(vr))

	p := filled[profile.Profile]()
	pr := toProfileRecord(p)
	through(t, &pr.Body)
	require.Equal(t, p, fromProfileRecord(pr))

	v := filled[allocation.Version]()
	ar, err := toAllocationRecord(v)
	require.NoError(t, err)
	got, err := fromAllocationRecord(ar)
	require.NoError(t, err)
	require.Equal(t, v, got)
}
