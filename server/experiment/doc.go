// Package experiment compares ways to regulate on divided traffic: dynamic compute
// on, off, or regulated centrally. It says who is in which arm, what the arms are
// ordered to do, and what the measurements prove.
//
// # Who is in which arm
//
// Agents hash the key of a request (a user's id) to one of 10,000 slices, the same
// on every machine. Arms take neighbouring ranges of slices, in the order they are
// listed, the first from slice 0: a user stays in one arm on all machines for the
// whole experiment, and an arm's bucket is named by its range, "0-5000". Requests
// without a key all have the same slice, so an app that gives none cannot be
// experimented on; the sample-ratio check shows it.
//
// The hash has no salt of the experiment: two experiments one after the other on
// the same ranges have the same users. Experiments whose places meet are never run
// at once, so effects of one are not counted for another; a layer design (several
// at once, independently hashed) is not offered.
//
// # What an arm does
//
// An experiment sets claims of source experiment with the arm's bucket: one that
// opens the bucket (so that it is ordered, and measured, by itself), and those of
// the arm's strategy, level and setpoint. They end with the experiment by
// themselves, whoever is alive. A claim of a person or a plan stands above them, as
// everywhere: such an arm is then not what it says, and the page shows the claim.
//
//	draft --start--> running --its end, or stop--> ended
//
// # What is measured
//
// Agents report by bucket wherever orders divide traffic; where no template is bound
// there are no orders, and nothing is measured. Each arm's slices are
// cut into 20 blocks of equal width; for each block a report has requests, RT sum,
// timeouts and value. Blocks are random groups of users, and that is what makes
// the interval sound: a user's requests are alike and come back minute after
// minute, so minutes, let alone requests, are no independent draws, while blocks
// of users are. (Random groups and the delta method for ratio metrics where the
// unit of analysis is not the unit of randomisation: Deng, Knoblich, Lu, "Applying
// the Delta Method in Metric Analytics", KDD 2018; Wolter, "Introduction to
// Variance Estimation", ch. 2.)
//
// # Lift
//
// Of a ratio metric Y/X (value a request, RT a request, timeouts a request) with
// block sums y_k, x_k, k = 1..K:
//
//	R       = Σy / Σx
//	var R   = K/(K-1) · Σ (y_k - R·x_k)² / (Σx)²          delta method
//	L       = ln R_arm - ln R_control,   lift = e^L - 1
//	var L   = var R_arm / R_arm² + var R_control / R_control²
//	df      = Welch-Satterthwaite of the two terms, K-1 each
//	95 %    = e^(L ± t(df)·√var L) - 1
//
// Played on made-up users whose lift is known, the interval covers it in 93.0 % of the
// 200 runs of server/lab/EXPERIMENTS.md, and in 95.6 % of 1,000 others (allspark lab
// experiment --runs 1000 --offset 1000 --lifts 0.05). Requests as units, on the same
// data: 32 %.
//
// Where a ratio is not above 0 there is no lift, only the difference, with the
// interval of Welch's test on R.
//
// That interval is for one look, at the planned end. Whoever looks at it every
// minute and stops when it excludes 0 will find lifts that are not there. So while
// an experiment runs, the interval shown, and its verdict, are those of an
// always-valid sequence (a normal mixture: Robbins 1970; Johari, Pekelis, Walsh,
// "Always Valid Inference", 2015), wider by about a half:
//
//	|L| ≤ √( v(v+τ²)/τ² · (2 ln(1/α) + ln((v+τ²)/v)) ),   v = var L, τ = 5 %
//
// scaled by t(df)/z because v is estimated.
//
// # Sample ratio
//
// Traffic should divide as the slices do. Pearson's chi-squared over the arms'
// requests would cry wolf: requests of one user come together. It is divided by the
// design effect, the same statistic within the arms between their blocks (Rao and
// Scott 1981), and referred to F, because the effect is estimated:
//
//	X² = Σ (n_a - e_a)² / e_a,  F = X² / (A-1) / max(1, d),  p from F(A-1, ΣK - A)
//
// Below p = 0.001 the page warns: then arms are not alike but for what is
// compared, and no lift should be believed. An arm that changes how often users
// ask again (retries after timeouts) is caught, too, and rightly: a value per
// request then compares different requests.
//
// # Units
//
// Value in the app's own unit, RT in microseconds inside sums, shares 0..1, slices
// of 10,000. Minutes are of reference time.
//
// # When things fail
//
// What a replica heard is added to its own rows every few seconds; a crash loses
// those seconds for all arms alike. Database away: sums stay in memory, bounded by
// the number of running experiments. Fewer than 5 blocks with traffic, or a
// block's worth of requests below 1 on average, give no interval, and the page says
// so. Claims of an experiment that is not running are released by whoever leads;
// a running one whose claims somebody released is stopped, with that reason.
package experiment
