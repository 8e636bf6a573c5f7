// Package notify tells sinks of alerts: webhooks, Alertmanager, DingTalk, Feishu
// and Slack. It implements alert.Sender.
//
//	webhook       JSON {version, notices[]}; X-AllSpark-Timestamp (Unix seconds) and
//	              X-AllSpark-Signature: sha256=hex(HMAC-SHA256(secret, timestamp "." body)).
//	              Receivers check the signature, refuse timestamps older than some
//	              minutes, and drop a notice whose id they know.
//	alertmanager  POST <url>/api/v2/alerts; an alert that is resolved gets endsAt
//	dingtalk      a group robot: markdown, signed with timestamp and sign in the query
//	feishu        a group bot: text, signed with timestamp and sign in the body
//	slack         an incoming webhook: text
//
// A message holds up to twenty alerts. The least time between two messages keeps
// to what the services allow: DingTalk 20 a minute, Feishu 100 a minute, Slack one
// a second. What people or engines named (instances, builds, reasons) is escaped
// for each language, and "@all" stays text.
//
// # Where it dials
//
// Sinks are set by people with the right to, not by everybody who can reach the
// network from here. So the address is checked when it is dialled, after the name
// was resolved: loopback, private, link-local, shared, multicast and other special
// networks are refused unless configuration allows them (alerts.allow). No proxy
// is used, no redirect followed, and at most 64 KiB of an answer are read.
//
// # When things fail
//
// A status other than 2xx, or a service that says no in a 200 (DingTalk's errcode,
// Feishu's code), is an error with the beginning of the answer; the address, which
// may hold a token, is never part of it. Send ends with its context.
package notify
