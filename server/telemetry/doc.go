// Package telemetry turns agents' reports into what people and loops look at: live
// windows per (scene, IDC, app, point) and per agent, and history by minute and
// by hour.
//
// # Live windows
//
// A report covers [At-Window, At); it counts for the second that holds the middle
// of that span. Second s is complete at s+2: agents' windows end at any phase, so
// the last of them ends at s+1.5, and half a second is left to travel. Ingest only keeps
// references to the sketches; they are added up once, when the second is
// complete, and kept encoded (some hundred bytes). So 5,000 agents cost a few
// microseconds each a second, and a reader merges at most ten sketches a series.
//
//	Last    the newest complete second, if it is at most 3 s old
//	Recent  the ten seconds up to the newest complete one
//
// Percentiles come from added-up sketches (proto/sketch, < 1 % error), never from
// averages of percentiles. Mean level = Σ LevelSum / Σ Count, request-weighted.
// QPS = Count / seconds covered. CPU is the mean over the agents that said it.
//
// # Crowds
//
// Where agents run a crowd loop, Crowds adds up what they reported in the last ten
// seconds. Every machine fits its own predictor, so edges differ: crowds whose edges
// are within 25 % are shown as one. Errors of needless downgrades add up within a
// machine, whose crowds share a fit, and as squares between machines.
//
// # Buckets
//
// Where orders divide traffic, agents report each bucket every five seconds, with its
// groups of users. Bucket gives the last twenty seconds of one; TakeBuckets what came
// since it was last called, minute by minute, for who compares arms. Nothing of it
// is in the series, which are of all traffic, or told to other replicas: a bucket's
// figures here are of this replica's agents, a fair sample of the rest.
//
// # Other replicas
//
// Each replica tells the others the closed seconds of the series it hears, with their
// sketches, and every five seconds the shares of its agents and their crowds (of more
// than a hundred agents a series the sum). Readers add them up second by second, so a
// series is of all agents, wherever they are served. While others are heard the
// newest second shown is three seconds older. Where this replica alone hears
// an app's agents nothing changes. See server/replica for what it costs.
//
// # Silence
//
// Nothing old is shown as current: after StaleAfter without a report a point has
// neither Last nor Recent, only LastHeard; after ForgetAfter it is gone.
//
// # History
//
// Minutes become one packed row per series-hour, hours one per series-day, each
// row with the name of the replica that wrote it, because replicas hear different
// agents. Readers combine writers: counts add, means are weighted by count, and
// percentiles too (an approximation, exact while one replica hears a point's
// agents). The hour's percentiles come from a sketch of the whole hour unless the
// process started within it; then from its minutes as above. An hour that is not
// over yet is put together from its minutes. Ranges are read some series at a
// time, so that memory follows neither the span nor how many series match.
//
// # Units
//
// RT in microseconds inside samples and sketches, time.Duration outside; levels
// in hundredths inside samples; CPU in thousandths of the machine's cores.
//
// # When things fail
//
// A report from the future (clock ahead by more than 5 s) or from long ago is
// refused and counted, a small lead is clamped to now; values that cannot be
// (negative counts, NaN, a malformed sketch) refuse that point's report. Each app
// has its own lock and bounds on series, agents and report rate: an app that
// floods loses its own reports, with a count, and nobody else's. Database away:
// minutes stay in memory until it is back, at most six hours of them, then the
// oldest are dropped and counted.
package telemetry
