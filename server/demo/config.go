package demo

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"net"

	"github.com/allspark/allspark/server/lab"
)

// Defaults of a Config.
const (
	DefaultRate     = 40 // about 220 requests a second: the engine is 60 % busy
	DefaultMachines = 3
	maxMachines     = 100 // of each app in each IDC
)

// Config says where the controllers are and what comes in.
type Config struct {
	Controller string // host:port of the agents' listener; several by commas

	// EnrolToken enrols every agent; EnrolTokens, by "app/idc", go before it.
	EnrolToken  string
	EnrolTokens map[string]string

	Rate     int     // copies of the trace; 0 is DefaultRate, negative is silence
	Speed    float64 // of the trace's clock; 0 is 1
	Machines int     // of each app in each IDC; 0 is DefaultMachines
	Seed     uint64
	Trace    *lab.Trace // lab.Conversation when nil

	// DataDir keeps each agent's last good orders, in a folder each.
	DataDir string
	Log     *slog.Logger

	// Dial opens connections in place of the network, for tests.
	Dial func(ctx context.Context, address string) (net.Conn, error)
}

func (c *Config) complete() error {
	if c.Rate == 0 {
		c.Rate = DefaultRate
	}
	if c.Speed == 0 {
		c.Speed = 1
	}
	if c.Machines == 0 {
		c.Machines = DefaultMachines
	}
	if c.Trace == nil {
		c.Trace = lab.Conversation()
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Rate > lab.MaxRate {
		return fmt.Errorf("rate wants at most %d, got %d", lab.MaxRate, c.Rate)
	}
	if c.Machines < 0 || c.Machines > maxMachines {
		return fmt.Errorf("machines wants 1..%d, got %d", maxMachines, c.Machines)
	}
	if !(c.Speed > 0) || math.IsInf(c.Speed, 0) || float64(c.Rate)/c.Speed > lab.MaxRate || c.Speed > maxSpeed {
		return fmt.Errorf("speed wants a number above 0 and at most %d, got %g", maxSpeed, c.Speed)
	}
	return nil
}

// maxSpeed passes the whole trace in less than a second.
const maxSpeed = 3600

func (c *Config) token(app, idc string) string {
	if t, ok := c.EnrolTokens[app+"/"+idc]; ok {
		return t
	}
	return c.EnrolToken
}
