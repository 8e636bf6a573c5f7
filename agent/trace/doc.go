// Package trace follows single requests through control points and calls, within
// a process by context and between processes by a header, and counts what comes
// after what. Controllers draft the graph of a scene from these counts.
//
// # What is counted
//
// Only some requests are followed: each agent begins at most one every
// [SampleEvery], and who is called follows those that the caller follows. A
// request that is not followed costs one look at its header and no lock.
//
//	met      a point, once a request that came to it, and by which external edge of
//	         which app the call came in
//	after    a point or call that was over, in the same request, before it began:
//	         all of them, not only the last, so that what runs side by side can be
//	         told from what runs in a series however their times fall
//	span     other points or calls took place within it: it measures, it is no step
//
// # What travels
//
// With a call, and back with its answer, as the header [Header]:
//
//	1;scene;in;done,done,…       in: app/point of the external edge that the call is
//	-                            the request is not followed
//
// A call that no external edge guards hands on what was over in the caller, and
// its answer brings back what was over in the callee: both are steps of one path.
// A call through an external edge starts afresh, within that edge, and its answer
// brings nothing back: the edge stands for it.
//
// # When things fail
//
// A header that is malformed, too long, or names what is no name is not followed.
// An answer that never comes brings nothing. What does not fit into a Book is
// counted as nothing; Book.Take starts over. Nothing here can fail a request.
package trace
