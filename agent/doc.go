// Package agent is the SDK that an engine embeds to let AllSpark decide how much
// work each request gets.
//
//	ag := agent.New(agent.Config{App: "sn", IDC: "et2", Address: "127.0.0.1:7600", EnrolToken: token, DataDir: dir})
//	recall := ag.Point("recall")
//	tags := recall.Int("tag_count").Range(10, 200).Unit("tags").Default(100)
//	k2 := ag.Scene("k2")
//	err := ag.Start(ctx) // returns at once: the controller need not be there
//	defer ag.Close()
//
//	d := recall.Begin(k2, agent.Request{Load: predictedAds, Key: userID})
//	n := tags.Get(&d) // tag_count at the level this request got
//	…
//	d.End(agent.Result{Elapsed: elapsed, Outcome: agent.OK})
//
// # The promise to a request
//
// Begin, the reads and End take no lock, allocate nothing, read no clock and do no
// I/O; they never wait for a controller. A Decision holds on to the orders it
// began with, so all its values belong together even when new orders arrive in
// between. Points, parameters and scenes are resolved once, into handles; the
// path of a request indexes arrays. Everything may be called concurrently.
//
// # Local loops
//
// Under the strategy crowd_rt a point's level is decided here, for each group of
// requests of similar predicted cost, so that the mean response time stays at or
// under what the order allows; under external_timeout a call edge's timeout is.
// The app does nothing for it but pass a Load and report Elapsed. See package loop.
//
// # Fallback
//
// With no controller the last good orders answer until their TTL, also after a
// restart when DataDir is set; then the declared defaults. Status tells which.
//
// # Units
//
// Elapsed is the work of the point itself, external calls excluded (they are
// points of their own, see Agent.External). Load is any positive number that
// predicts cost: ads, documents, tokens. Value is in the app's own unit.
//
// # When things fail
//
// A wrong declaration is reported by Start with every path, and changes nothing
// else: reads give what they can. Orders that do not fit the declarations are
// refused as a whole and shown in the console; the last good ones stay. A damaged
// snapshot, a full disk, a silent controller or a bad address are logged, shown by
// Status, and never reach a request. A reader used with another point's Decision
// gives its declared default.
package agent
