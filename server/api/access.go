package api

import "time"

// Grant gives a role on app × IDC.
type Grant struct {
	Role string `json:"role" enum:"viewer,operator,admin" doc:"Role." example:"operator"`
	App  string `json:"app" maxLength:"63" doc:"Application or *." example:"sn"`
	IDC  string `json:"idc" maxLength:"63" doc:"Machine room or *." example:"*"`
	Verb string `json:"verb,omitempty" enum:"*,read,edit,publish,bind,claim,agents,audit,access,settings,wall" doc:"Narrows the role to one verb."`
}

// User is a person who signs in.
type User struct {
	ID        string     `json:"id" format:"uuid" doc:"UUIDv7."`
	Name      string     `json:"name" doc:"Unique name." example:"ann"`
	Display   string     `json:"display,omitempty" doc:"Full name."`
	Grants    []Grant    `json:"grants" doc:"What they may do where."`
	Disabled  bool       `json:"disabled" doc:"May not sign in."`
	Version   int64      `json:"version" doc:"The ETag."`
	CreatedBy string     `json:"created_by" doc:"By whom created."`
	CreatedAt time.Time  `json:"created_at" doc:"When."`
	UpdatedAt time.Time  `json:"updated_at" doc:"When last written."`
	LastLogin *time.Time `json:"last_login,omitempty" doc:"When last signed in."`
}

// UserCreate makes a user.
type UserCreate struct {
	Name     string  `json:"name" minLength:"1" maxLength:"63" pattern:"^[a-z0-9][a-z0-9._-]*$" doc:"Unique name." example:"ann"`
	Display  string  `json:"display,omitempty" maxLength:"200" doc:"Full name."`
	Grants   []Grant `json:"grants" maxItems:"100" doc:"What they may do where."`
	Password string  `json:"password,omitempty" maxLength:"256" doc:"At least 12 characters; generated and returned once when absent."`
	Reason   string  `json:"reason,omitempty" maxLength:"500" doc:"Why."`
}

// UserUpdate replaces what may change about a user.
type UserUpdate struct {
	Display  string  `json:"display,omitempty" maxLength:"200" doc:"Full name."`
	Grants   []Grant `json:"grants" maxItems:"100" doc:"What they may do where."`
	Disabled bool    `json:"disabled,omitempty" doc:"May not sign in."`
	Reason   string  `json:"reason,omitempty" maxLength:"500" doc:"Why."`
}

// UserSecret is a user with a password that is shown once.
type UserSecret struct {
	User
	Password string `json:"password,omitempty" doc:"Generated; shown this once."`
}

// Token lets a program call the API.
type Token struct {
	ID        string     `json:"id" format:"uuid" doc:"UUIDv7."`
	Name      string     `json:"name" doc:"Unique name." example:"ci"`
	Prefix    string     `json:"prefix" doc:"First characters of the secret." example:"ask_Zk3q"`
	Grants    []Grant    `json:"grants" doc:"What it may do where."`
	Expires   time.Time  `json:"expires" doc:"When it ends."`
	CreatedBy string     `json:"created_by" doc:"By whom."`
	CreatedAt time.Time  `json:"created_at" doc:"When."`
	Revoked   *time.Time `json:"revoked,omitempty" doc:"When revoked."`
	LastUsed  *time.Time `json:"last_used,omitempty" doc:"When last used, to the minute."`
}

// TokenCreate makes an API token.
type TokenCreate struct {
	Name   string  `json:"name" minLength:"1" maxLength:"63" pattern:"^[a-z0-9][a-z0-9._-]*$" doc:"Unique name." example:"ci"`
	Grants []Grant `json:"grants" minItems:"1" maxItems:"100" doc:"What it may do where; no more than its maker."`
	For    string  `json:"for,omitempty" doc:"How long it lives, at most 8760h; 720h by default." example:"720h"`
	Reason string  `json:"reason,omitempty" maxLength:"500" doc:"Why."`
}

// TokenSecret is a token with its secret.
type TokenSecret struct {
	Token
	Secret string `json:"secret,omitempty" doc:"Shown this once."`
}

// EnrolmentToken lets agents of one app × IDC register.
type EnrolmentToken struct {
	ID        string     `json:"id" format:"uuid" doc:"UUIDv7."`
	Name      string     `json:"name" doc:"Unique name." example:"sn-ea119"`
	Prefix    string     `json:"prefix" doc:"First characters of the secret." example:"ase_Zk3q"`
	App       string     `json:"app" doc:"Application or *." example:"sn"`
	IDC       string     `json:"idc" doc:"Machine room or *." example:"*"`
	Expires   time.Time  `json:"expires" doc:"When it ends."`
	CreatedBy string     `json:"created_by" doc:"By whom."`
	CreatedAt time.Time  `json:"created_at" doc:"When."`
	Revoked   *time.Time `json:"revoked,omitempty" doc:"When revoked."`
}

// EnrolmentTokenCreate makes an enrolment token.
type EnrolmentTokenCreate struct {
	Name   string `json:"name" minLength:"1" maxLength:"63" pattern:"^[a-z0-9][a-z0-9._-]*$" doc:"Unique name." example:"sn-ea119"`
	App    string `json:"app" minLength:"1" maxLength:"63" doc:"Application or *." example:"sn"`
	IDC    string `json:"idc" minLength:"1" maxLength:"63" doc:"Machine room or *." example:"*"`
	For    string `json:"for,omitempty" doc:"How long it lives, at most 8760h; 24h by default." example:"24h"`
	Reason string `json:"reason,omitempty" maxLength:"500" doc:"Why."`
}

// EnrolmentTokenSecret is an enrolment token with its secret.
type EnrolmentTokenSecret struct {
	EnrolmentToken
	Secret string `json:"secret,omitempty" doc:"Shown this once."`
}

// Login signs in.
type Login struct {
	Name     string `json:"name" minLength:"1" maxLength:"63" doc:"User." example:"ann"`
	Password string `json:"password" minLength:"1" maxLength:"256" doc:"Password."`
	Bearer   bool   `json:"bearer,omitempty" doc:"Return the token in the body, for programs, instead of a cookie."`
}

// Session is what a sign-in gives.
type Session struct {
	Me      Me        `json:"me" doc:"Who signed in."`
	Expires time.Time `json:"expires" doc:"When the session ends."`
	Token   string    `json:"token,omitempty" doc:"Only with bearer."`
}

// Me is the caller.
type Me struct {
	Name    string     `json:"name" doc:"User or token." example:"ann"`
	Display string     `json:"display,omitempty" doc:"Full name."`
	Kind    string     `json:"kind" enum:"user,token" doc:"Person or program."`
	Grants  []Grant    `json:"grants" doc:"What the caller may do where."`
	Verbs   []string   `json:"verbs" doc:"Verbs that some grant covers somewhere."`
	Global  []string   `json:"global" doc:"Verbs covered on every app and IDC."`
	Expires *time.Time `json:"expires,omitempty" doc:"When the session or token ends."`
}

// Password changes the caller's password.
type Password struct {
	Current string `json:"current" minLength:"1" maxLength:"256" doc:"The password so far."`
	New     string `json:"new" minLength:"12" maxLength:"256" doc:"The new one."`
}
