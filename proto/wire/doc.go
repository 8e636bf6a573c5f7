// Package wire translates between the words of proto/gear and the protobuf
// messages of proto/agent/v1, once for both sides of the stream.
//
// From… makes the message of a word and never fails: what does not fit the
// wire's integers saturates, invalid UTF-8 is replaced, so that one odd name
// cannot stop a whole set. To… makes the word of a message that somebody else
// sent: it checks sizes, signs and finite numbers and answers with every
// Problem at once, each with its path.
//
// Units: response times travel in microseconds (gear keeps nanoseconds, so
// anything finer is cut off), times in Unix nanoseconds with 0 for "none".
//
// Old meets new: unknown fields are ignored by protobuf. An unknown kind is kept
// as a number beyond the known kinds, so columns stay aligned and the check that
// follows names it; an unknown value is the zero Value; an unknown rung or hint
// is "none". Unknown strategies are strings and pass through: the agent refuses
// what it cannot do, with a reason.
//
// What happens when things fail: a message with Problems must not be applied. The
// word returned beside them holds what could be read and serves messages only.
package wire
