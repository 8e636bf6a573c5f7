package api

import "time"

// AlertScope says where. An empty field does not apply; "*" is several.
type AlertScope struct {
	App      string `json:"app,omitempty" maxLength:"63" doc:"Application." example:"sn"`
	IDC      string `json:"idc,omitempty" maxLength:"63" doc:"Machine room." example:"ea119"`
	Scene    string `json:"scene,omitempty" maxLength:"63" doc:"Scene of the worst place." example:"k2"`
	Point    string `json:"point,omitempty" maxLength:"63" doc:"Control point of the worst place." example:"recall"`
	Instance string `json:"instance,omitempty" maxLength:"253" doc:"Agent." example:"sn-17"`
	Object   string `json:"object,omitempty" maxLength:"253" doc:"Build, plan step or quota group."`
}

// Alert is something that was wrong for long enough to tell people.
type Alert struct {
	ID         string     `json:"id" format:"uuid" doc:"UUIDv7."`
	Kind       string     `json:"kind" enum:"bad_machine,bad_release,capacity,input_shift,input_silent,agent_refused,agent_stale,plan_missed,quota_fallback" doc:"What is wrong."`
	Severity   string     `json:"severity" enum:"warning,critical" doc:"How urgent."`
	State      string     `json:"state" enum:"firing,acked,silenced,resolved" doc:"acked: somebody looks after it. silenced: nobody is told."`
	Title      string     `json:"title" doc:"One line." example:"bad machine: sn/ea119 recall sn-17"`
	Scope      AlertScope `json:"scope" doc:"Where."`
	Reason     string     `json:"reason" doc:"What was seen, in a sentence."`
	Value      float64    `json:"value" doc:"Newest or last figure: a share (0.5: half as much again) or a number." example:"0.52"`
	Limit      float64    `json:"limit" doc:"What it was held against." example:"0.3"`
	Places     []string   `json:"places" doc:"What is affected, worst first."`
	StartedAt  time.Time  `json:"started_at" doc:"First seen."`
	FiredAt    time.Time  `json:"fired_at" doc:"Raised."`
	ResolvedAt *time.Time `json:"resolved_at,omitempty" doc:"Resolved."`
	Ending     string     `json:"ending,omitempty" doc:"Why it was resolved."`
	AckedBy    string     `json:"acked_by,omitempty" doc:"Who looks after it."`
	AckedAt    *time.Time `json:"acked_at,omitempty" doc:"Since when."`
	Note       string     `json:"note,omitempty" doc:"Of who acknowledged."`
	Silence    string     `json:"silence,omitempty" doc:"Id of the silence that covers it."`
	NotifiedAt *time.Time `json:"notified_at,omitempty" doc:"When sinks were to be told."`
}

// AlertDelivery is one event of an alert on its way to a sink.
type AlertDelivery struct {
	Alert    string     `json:"alert" doc:"Alert id."`
	Sink     string     `json:"sink" doc:"Name of the sink." example:"on-call"`
	Event    string     `json:"event" enum:"firing,resolved" doc:"What it tells."`
	State    string     `json:"state" enum:"waiting,sent,given_up" doc:"Failed attempts are repeated for an hour."`
	Attempts int        `json:"attempts" doc:"So far."`
	At       time.Time  `json:"at" doc:"When written."`
	SentAt   *time.Time `json:"sent_at,omitempty" doc:"When the sink took it."`
	Error    string     `json:"error,omitempty" doc:"Of the last attempt."`
}

// AlertPlan is a plan that was prepared for an alert's scope.
type AlertPlan struct {
	ID      string     `json:"id" doc:"Plan id."`
	Name    string     `json:"name" doc:"Plan." example:"fallback-sn"`
	State   string     `json:"state" doc:"Where it stands." example:"approved"`
	Purpose string     `json:"purpose,omitempty" doc:"What it is for."`
	Steps   []string   `json:"steps" doc:"Steps that set something in the alert's scope."`
	Next    *time.Time `json:"next,omitempty" doc:"When its next step starts."`
}

// AlertDetail is an alert with what to do about it.
type AlertDetail struct {
	Alert
	Deliveries []AlertDelivery `json:"deliveries" doc:"Who was told, newest first; for those who may see sinks."`
	Plans      []AlertPlan     `json:"plans" doc:"Prepared for its scope."`
}

// AlertAckInput acknowledges an alert.
type AlertAckInput struct {
	Note string `json:"note,omitempty" maxLength:"500" doc:"What you are going to do." example:"draining the machine"`
}

// AlertSilenceInput makes a silence.
type AlertSilenceInput struct {
	Kind   string     `json:"kind,omitempty" maxLength:"40" doc:"Kind of alert; all when left out." example:"bad_machine"`
	Scope  AlertScope `json:"scope" doc:"What it covers; an empty field or * covers all."`
	Reason string     `json:"reason" minLength:"1" maxLength:"500" doc:"Why." example:"machine in repair"`
	Start  *time.Time `json:"start,omitempty" doc:"Now when left out."`
	End    *time.Time `json:"end,omitempty" doc:"This or for is required."`
	For    string     `json:"for,omitempty" maxLength:"20" doc:"Length instead of an end." example:"2h"`
}

// AlertSilence keeps matching alerts from being sent until its end.
type AlertSilence struct {
	ID        string     `json:"id" format:"uuid" doc:"UUIDv7."`
	Kind      string     `json:"kind,omitempty" doc:"Kind of alert; all when empty."`
	Scope     AlertScope `json:"scope" doc:"What it covers."`
	Reason    string     `json:"reason" doc:"Why."`
	Start     time.Time  `json:"start" doc:"From then on."`
	End       time.Time  `json:"end" doc:"Until then."`
	Active    bool       `json:"active" doc:"Whether it is in force now."`
	CreatedBy string     `json:"created_by" doc:"Author."`
	CreatedAt time.Time  `json:"created_at" doc:"When made."`
}

// AlertRuleInput replaces a rule.
type AlertRuleInput struct {
	Enabled   bool    `json:"enabled" doc:"Whether it is judged."`
	Severity  string  `json:"severity" enum:"warning,critical" doc:"Of its alerts."`
	Threshold float64 `json:"threshold,omitempty" doc:"A share (0.3: 30 % more) or a number, by kind; 0 where the kind has none." example:"0.3"`
	For       string  `json:"for" maxLength:"20" doc:"It must be wrong for that long." example:"5s"`
	Clear     string  `json:"clear" maxLength:"20" doc:"And right for that long to be resolved." example:"1m"`
	Reason    string  `json:"reason,omitempty" maxLength:"500" doc:"Why."`
}

// AlertRule is how one kind of alert is judged.
type AlertRule struct {
	Kind      string     `json:"kind" doc:"Kind of alert." example:"bad_machine"`
	Enabled   bool       `json:"enabled" doc:"Whether it is judged."`
	Severity  string     `json:"severity" enum:"warning,critical" doc:"Of its alerts."`
	Unit      string     `json:"unit" enum:"share,count,none" doc:"Of the threshold."`
	Threshold float64    `json:"threshold" doc:"By unit."`
	For       string     `json:"for" doc:"It must be wrong for that long." example:"5s"`
	Clear     string     `json:"clear" doc:"And right for that long to be resolved." example:"1m0s"`
	Default   bool       `json:"default" doc:"Nothing else was saved."`
	Version   int64      `json:"version" doc:"The ETag; 0 while the default stands."`
	UpdatedBy string     `json:"updated_by,omitempty" doc:"Last writer."`
	UpdatedAt *time.Time `json:"updated_at,omitempty" doc:"When last written."`
}

// AlertSinkInput creates or replaces a sink.
type AlertSinkInput struct {
	Name     string   `json:"name" minLength:"1" maxLength:"63" doc:"Unique." example:"on-call"`
	Kind     string   `json:"kind" enum:"webhook,alertmanager,dingtalk,feishu,slack" doc:"The language it speaks."`
	URL      string   `json:"url,omitempty" maxLength:"2048" doc:"Never shown again. Left out in a replacement: it stays."`
	Secret   string   `json:"secret,omitempty" maxLength:"256" doc:"Signs messages. Never shown. Left out in a replacement: it stays, unless the address or the kind changes."`
	Enabled  bool     `json:"enabled" doc:"Whether it is told."`
	Resolved bool     `json:"resolved" doc:"Tell it of the end, too."`
	App      string   `json:"app,omitempty" maxLength:"63" doc:"Only alerts of this application."`
	IDC      string   `json:"idc,omitempty" maxLength:"63" doc:"Only alerts of this machine room."`
	Kinds    []string `json:"kinds,omitempty" maxItems:"20" doc:"Only these kinds."`
	Severity string   `json:"severity,omitempty" enum:"warning,critical" doc:"critical: only those."`
	Reason   string   `json:"reason,omitempty" maxLength:"500" doc:"Why."`
}

// AlertSink is where alerts are sent.
type AlertSink struct {
	ID        string          `json:"id" format:"uuid" doc:"UUIDv7."`
	Name      string          `json:"name" doc:"Unique." example:"on-call"`
	Kind      string          `json:"kind" enum:"webhook,alertmanager,dingtalk,feishu,slack" doc:"The language it speaks."`
	Host      string          `json:"host" doc:"Its address without what may be secret."`
	Signed    bool            `json:"signed" doc:"Whether a secret is stored."`
	Enabled   bool            `json:"enabled" doc:"Whether it is told."`
	Resolved  bool            `json:"resolved" doc:"Whether it is told of the end."`
	App       string          `json:"app,omitempty" doc:"Only alerts of this application."`
	IDC       string          `json:"idc,omitempty" doc:"Only alerts of this machine room."`
	Kinds     []string        `json:"kinds,omitempty" doc:"Only these kinds."`
	Severity  string          `json:"severity,omitempty" doc:"critical: only those."`
	Recent    []AlertDelivery `json:"recent" doc:"Its newest deliveries."`
	Version   int64           `json:"version" doc:"The ETag."`
	UpdatedBy string          `json:"updated_by" doc:"Last writer."`
	UpdatedAt time.Time       `json:"updated_at" doc:"When last written."`
}

// AlertSinkTest is what became of a test message.
type AlertSinkTest struct {
	OK    bool    `json:"ok" doc:"Whether the sink took it."`
	Error string  `json:"error,omitempty" doc:"Why not."`
	MS    float64 `json:"ms" doc:"How long it took."`
}
