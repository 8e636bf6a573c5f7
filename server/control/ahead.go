package control

import (
	"context"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/fault"
)

const (
	raiseTries = 3
	// raiseWait is how long whoever leads has to journal everything again.
	raiseWait = 3 * time.Second
	raisePoll = 100 * time.Millisecond
	// MaxAhead is how far beyond the journal's epoch a version may be believed: a
	// million changes of leader since the backup. Together with the raises that are
	// allowed it keeps agents that lie from using the numbers up: at most MaxAhead a
	// minute, which is 16,000 years to wire.MaxVersion.
	MaxAhead = 1 << 20
	// raiseBurst raises may come at once, then one every raiseEvery.
	raiseBurst = 10
	raiseEvery = time.Minute
	// farAhead reaches the newest shift whatever the clocks say.
	farAhead = 100 * 365 * 24 * time.Hour
)

// RaiseAbove makes the journal pass a version that an agent of the app x IDC
// holds and the journal has not given: the journal itself went back (a restored
// backup). The epoch rises, and whoever leads journals every set again under it.
//
// It returns when that is done. Each raise has every set journalled and sent again,
// so only some are allowed; more wait for nothing and are an error. An agent that is merely ahead of this replica,
// which follows the journal by up to a tick, raises nothing.
func (l *Loop) RaiseAbove(ctx context.Context, app, idc string, held gear.Version) error {
	for range raiseTries {
		behind, never, err := l.behind(ctx, app, idc, held)
		if err != nil || !behind {
			return err
		}
		epoch, err := l.cfg.Store.RaiseEpoch(ctx, 0)
		if err != nil {
			return err
		}
		if never && epoch > held.Epoch {
			return nil // the first set there will be newer than what is held
		}
		if held.Epoch-max(epoch, l.keeper.Status().Lease.Epoch) > MaxAhead {
			return fault.New(fault.Invalid, "an agent of %s in %s says it holds epoch %d, the journal's is %d: not believed", app, idc, held.Epoch, epoch)
		}
		if !l.mayRaise(time.Now()) {
			return fault.New(fault.RateLimited, "the epoch was raised too often lately; not for epoch %d, revision %d of %s in %s",
				held.Epoch, held.Revision, app, idc)
		}
		// Also above the epoch of whoever leads: only then do they see that it rose.
		if epoch, err = l.cfg.Store.RaiseEpoch(ctx, max(epoch, held.Epoch, l.keeper.Status().Lease.Epoch)+1); err != nil {
			return err
		}
		l.cfg.Log.Warn("an agent holds a version beyond the journal; epoch raised", "app", app, "idc", idc,
			"held_epoch", held.Epoch, "held_revision", held.Revision, "epoch", epoch)
		l.Nudge()
		for waited := time.Duration(0); behind && !never && waited < raiseWait; waited += raisePoll {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(raisePoll):
			}
			if behind, _, err = l.behind(ctx, app, idc, held); err != nil {
				return err
			}
		}
	}
	return nil
}

// behind asks the journal itself, not what this replica has seen of it.
func (l *Loop) behind(ctx context.Context, app, idc string, held gear.Version) (behind, never bool, err error) {
	s, err := l.cfg.Store.ShiftAt(ctx, app, idc, time.Now().Add(farAhead))
	if fault.Is(err, fault.NotFound) {
		return true, true, nil
	}
	if err != nil {
		return false, false, err
	}
	return s.Version.Less(held), false, nil
}

// mayRaise takes one of the raises that are allowed.
func (l *Loop) mayRaise(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	refilled := now.Add(-raiseBurst * raiseEvery)
	if l.raises.Before(refilled) {
		l.raises = refilled
	}
	if l.raises.Add(raiseEvery).After(now) {
		return false
	}
	l.raises = l.raises.Add(raiseEvery)
	return true
}
