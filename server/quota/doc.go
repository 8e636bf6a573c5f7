// Package quota keeps the work of a group of machines within one budget.
//
// A group is the machines that carry one stage of ranking: members select their
// places. What a request consumes is the number of candidates that finally enter
// ranking, counted before the ranking runs. One logical controller a group, under
// the lease, compares the window's sum with the budget some ten times a second
// and moves the base quota, which agents multiply by the value of each user:
//
//	final = min(available, clamp(base * weight, q_min, q_max))
//
// # Units and formulas
//
// Quota is counted in candidates. sum and total are candidates a window. With B
// the base quota, W the window, tau the loop's own delay:
//
//	e       = ln(total/sum), clipped to ±1; 1 - sum/total to first order
//	Δln B   = Ki·Δt·e + Kp·Δe + Kd·filtered(Δ²e)/Δt - Δln(arrivals)
//	theta   = W/2 + tau
//	Ki      = 1/(3·theta) by default, in 1/s; Kp has no unit; Kd is in seconds
//
// In the log domain the loop's gain does not depend on load: B settles where
// arrivals·B = total, so d ln(sum)/d ln(B) is 1 at every load. The seed's linear
// form, B = clamp(PID(1 - sum/total)), is selectable; tuned at base load it
// oscillates when load is a multiple of that, which a test shows.
//
// The last term is the feed-forward: arrivals are known a window before the sum
// shows them. After a jump the trim (the other terms) rests until the window has
// forgotten what was consumed before B changed.
//
// The option dcaf chooses per bucket of user value the quota that maximises
// gain·value - lambda·cost, and moves ln(lambda) by the same loop (DCAF, arXiv
// 2006.09684).
//
// # What happens when things fail
//
//   - No lease, no window (Redis away) or no controller: no base quota is sent.
//     Agents notice after 500 ms and fall back by themselves (agent/quota).
//   - A controller that begins takes over B from what the group consumes on
//     average, so that nothing jumps; its trim rests until a window is seen whole.
//   - Nothing arrives: e is clipped, ln B is clamped, nothing is NaN.
//   - Counts that come late count when they come, at most half a second back.
//   - Arrivals vanish (a partition): B rises only after half a window without them.
//
// Sources: the seed's article on quota; velocity-form PID and conditional
// integration as in Åström and Hägglund, Advanced PID Control.
package quota
