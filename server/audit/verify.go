package audit

import "context"

// Verification is what walking the chain found.
type Verification struct {
	Entries  int64
	Head     string // hash of the newest entry that fits
	BrokenAt int64  // first entry that does not, 0 when all do
	Problem  string // "" when all do
}

// Verify walks the whole log. The error is about reading it; what is wrong with
// it is in the result. Entries cut off at the end cannot be seen from within:
// compare Head and Entries with what was written down elsewhere.
func Verify(ctx context.Context, store Store) (Verification, error) {
	var v Verification
	var seq int64
	err := store.WalkAudit(ctx, func(e Entry) error {
		v.Entries++
		if v.Problem != "" {
			return nil
		}
		if bad := CheckLink(seq, v.Head, &e); bad != nil {
			v.BrokenAt, v.Problem = e.Seq, bad.Error()
			return nil
		}
		seq, v.Head = e.Seq, e.Hash
		return nil
	})
	return v, err
}
