// Package alert says that something is wrong, where, and since when, and sees to
// it that people hear of it.
//
//	telemetry.Machines, fleet, quota, planner --Observation--> Watch (pure, every replica)
//	   Watch --Sightings--> Book (pure, the holder of the lease) --> raised and resolved alerts
//	   alerts --Deliveries, one a sink--> post (a sender a sink) --> Sender (server/notify)
//
// # What is looked at
//
// Once a second, of every app x IDC (a place) and of each of its points and scenes
// (a series), the last ten seconds of every machine:
//
//	cost      ln(mean RT) - ln(mean level) of a machine: it rises when the same work
//	          takes longer, and still does when the loop has turned the level down
//	          to hold the RT. Of a place the median of its machines, which one bad
//	          machine does not move.
//	load      ln(mean predicted load of a request)
//	qps, bad  requests a second; share that timed out, failed or was shed
//	CPU       ln(busy share of a machine's cores) by request, and by request and level
//
// RT, level and load are medians of the means of five blocks of two seconds: a burst
// of a second or two makes the mean of ten seconds several times of what it was, and
// two of them looked like fifteen seconds of trouble.
//
// Each series is remembered every 5 s for 5 min. What it is compared with (its
// base) is the median of that, without the newest half minute; a robust σ (MAD)
// of the same says how much it moves by itself, and how far machines usually are from
// each other. A limit is the rule's threshold or some σ, whichever is more. While
// something is wrong at a place its memory stands still, at most an hour.
//
// # What proves that work got dearer
//
// RT grows without bound as a machine gets busy, so cost alone also accuses one that
// does more than its peers, and all of them after a burst. bad_machine, bad_release
// and capacity (rule_proof.go) hold where
//
//   - cost exceeds what being busier explains, ln (1-was)/(1-busy), by 6 σ, and the
//     machine is not full (85 %): the queue of a full machine lasts, whatever filled it;
//   - or cost and CPU each exceed 3 σ, of which a quarter of the threshold shows by
//     request, too: a level is not work, and loops that settle differ in it for minutes.
//
// Once a build or a place did, CPU alone tells how long it lasts: loops hold RT by
// turning the level down. Where CPU is not known cost decides. So of full machines a
// fault that uses no CPU (a disk, a lock) is not told.
//
// bad_machine and capacity want 20 % more, not 30 as they did: at the level to which
// the loops turn, a machine that is half as slow again shows 20 to 30 % in both.
//
// What comes into an IDC is judged where its traffic grew most (rule_flow.go). Behind
// an app that is overloaded only the light requests arrive, or none: what is there
// differs in load, costs more or is silent, and is not another input, lost machines
// or silence.
//
// # Kinds
//
//	bad_machine     its cost is off from the median of the machines of the same build
//	bad_release     a build new within 10 min costs more than the one before: beside
//	                it, where both run, else than before it came at the same traffic
//	capacity        every machine at the lowest level its order allows, or a third of
//	                the machines gone and the rest strained, or all dearer than
//	                before though traffic, load and build are the same and requests
//	                take no less time
//	input_shift     the load of a request differs from before; one alert an IDC
//	input_silent    no request where there were some
//	agent_refused, agent_stale, plan_missed, quota_fallback: as the rooms say
//
// One fault has one name: what a release or another input explains is not called
// capacity besides. Units: threshold 0.2 is 20 % more; times are durations.
//
// # Life of an alert
//
//	seen --(For)--> raised --(not seen for Clear)--> resolved
//	                  |  \--ack: who looks after it; it stays
//	                  \--silence: stands, is shown, and nobody is told until its end
//
// What makes two sightings one alert is kind, app, IDC, instance and object (build,
// step, group); the worst point is shown and may change. The database lets one
// alert of a fingerprint stand, so two replicas never raise one fault twice.
//
// # Sending
//
// A delivery's key is (alert, sink, event); it is written before it is sent and
// marked after. So each event is sent once to each sink, and a second time only if
// a replica died between the two. Senders run one a sink, at the pace its kind
// allows, many alerts in one message; failed attempts are repeated for an hour,
// 2 s apart and then up to 2 min.
//
// # When things fail
//
// Watching and sending share nothing with control: a sink that hangs holds one
// goroutine for ten seconds. Database away: nothing is raised, what is wrong is
// remembered and raised when it is back. Lease lost: the successor has watched all
// along, takes over the alerts that stand, and sends what was not marked as sent.
// Each replica watches the agents whose reports it has.
package alert
