// Package agentv1 is the wire between agents and controllers, generated from
// agent.proto, which says what each field means, in which unit, and what is sent
// when. Package wire turns it into the values of package gear and refuses what
// makes no sense.
package agentv1
