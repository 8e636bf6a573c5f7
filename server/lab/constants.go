package lab

import "time"

// The model's constants. They were fixed before any control law was compared on
// the model; a change here is a new model, and every published figure is made
// again. Demands are at the reference machine's core.

// World.
const (
	// ShiftSpread is the share of the trace over which copies are shifted. Half
	// an hour apart, bursts of the copies are independent, while the engine
	// still sees the trace's slow rise and fall (0.8 to 1.2 of its mean).
	ShiftSpread = 0.5

	// valueSD is the standard deviation of ln(value): the best tenth of users
	// is worth close to half of the total, the shape of revenue per visit in display ads.
	valueSD = 1.2

	// valueLoad is the correlation of ln(value) and ln(load): active users have
	// more tags to look up and are worth more, but far from proportionally.
	valueLoad = 0.5

	// network is one call's way there and back inside an IDC.
	network = 600 * time.Microsecond

	// workNoise is the standard deviation of ln(demand) at known load and work:
	// load explains 0.8 to 0.9 of the variance of ln(demand) at recall and rank.
	workNoise = 0.25
)

// Response times of the scenes, and how traffic splits between them.
const (
	k2Share = 0.6 // of all requests; the rest is feeds
	k2SH    = 0.55
	feedsSH = 0.425 // with k2's 0.55 both IDCs carry half of all requests

	k2Timeout    = 700 * time.Millisecond
	feedsTimeout = 800 * time.Millisecond // a background refresh waits longer

	k2Load    = 1.05 // k2 asks a little more of every point …
	feedsLoad = 0.92 // … and feeds less
)

// Cores of a machine of each app. At the default gears and rate 40 (220 requests a
// second, 37 at each machine) the search node is 60 % busy in the first half hour of
// the conversation trace (54 % over all of it), where such engines run by day; at rate 80 it is the first to be overloaded, and the apps around it
// still have room: what is short is what the gears can give back.
const (
	frontendCores = 1
	mergerCores   = 1
	snCores       = 6
	featureCores  = 3
	modelCores    = 4
	creativeCores = 3
)

// Calls a machine holds at once, running and waiting: a worker pool of about
// four seconds of work at the default gears, deeper than any caller's patience.
const (
	frontendLimit = 1000
	mergerLimit   = 500
	snLimit       = 250
	featureLimit  = 200
	modelLimit    = 200
	creativeLimit = 200
)

// Demands. fixed and perLoad do not scale with the parameter; slope is for one
// unit of the parameter at relative load 1; io uses no core.
const (
	entryFixed = 2 * time.Millisecond // parsing and rendering at the frontend

	mergeFixed = 4 * time.Millisecond
	mergeSlope = 200 * time.Microsecond // an ad: blending and de-duplication

	// Recall is short, 8 ms in the engine the model is made after, but what it
	// finds is what prerank and rank work on.
	recallFixed   = 1 * time.Millisecond   // parsing the user's profile …
	recallPerLoad = 500 * time.Microsecond // … which is longer for active users
	recallSlope   = 45 * time.Microsecond  // one tag's posting list
	recallIO      = 1 * time.Millisecond   // index pages that are not in memory

	prerankFixed   = 6 * time.Millisecond
	prerankPerLoad = 2 * time.Millisecond
	prerankSlope   = 55 * time.Microsecond // a candidate in the small model

	rankFixed   = 10 * time.Millisecond
	rankPerLoad = 3 * time.Millisecond
	rankSlope   = 220 * time.Microsecond // a candidate's features joined and checked

	fetchFixed   = 6 * time.Millisecond
	fetchPerLoad = 2 * time.Millisecond
	fetchSlope   = 110 * time.Microsecond // a document decoded
	fetchIO      = 22 * time.Millisecond  // the store's answer

	scoreFixed   = 14 * time.Millisecond // batching, copy to the device and back
	scorePerLoad = 1 * time.Millisecond
	scoreSlope   = 150 * time.Microsecond // a layer over 100 candidates … see scoreUnit
	scoreUnit    = 10.0                   // candidates a unit of score's work covers

	selectFixed   = 4 * time.Millisecond
	selectPerLoad = 1 * time.Millisecond
	selectSlope   = 2200 * time.Microsecond // one creative variant rendered
	selectIO      = 8 * time.Millisecond
)

// What each point hands to the next.
const (
	recallOutput  = 6.0  // candidates found a tag
	prerankOutput = 0.35 // share of the candidates scored that are worth ranking
)

// The rank model: cost and quality beside the base model.
const (
	rankLightCost, rankLightQuality = 0.55, 0.90
	rankBaseCost, rankBaseQuality   = 1.00, 1.00
	rankLargeCost, rankLargeQuality = 1.70, 1.06
)

// Value: each point's share of a full answer's worth, and the work after which
// 63 % of what endless work could earn is earned. At the default gears a full
// answer earns 0.79 of what the top gears would: room above, and more to lose
// below.
const (
	recallWeight, recallScale   = 0.25, 70.0
	prerankWeight, prerankScale = 0.10, 300.0
	rankWeight, rankScale       = 0.30, 90.0
	fetchWeight, fetchScale     = 0.10, 120.0
	scoreWeight, scoreScale     = 0.15, 8.0
	selectWeight, selectScale   = 0.06, 5.0
	mergeWeight, mergeScale     = 0.04, 12.0
)
