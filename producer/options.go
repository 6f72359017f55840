package producer

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/kafka"
)

// Options are a Client's settings. Instance must be given; for the others zero is a default.
type Options struct {
	Kafka kafka.Config

	Producer string      // name of this process; "" means Instance
	Boot     string      // id of this run; "" means a random one
	Instance string      // engine, gateway or client that speaks
	DPIndex  Number      // data-parallel index inside the instance
	Role     stream.Role // 0 means engine
	Source   string      // kind of source; "" means the role's name

	Model        string // for requests that name none
	ModelVersion string

	// TenantKey turns tenants and sessions into hashes. Without it they are not sent.
	TenantKey []byte

	Lanes        int           // lanes of requests; 0 means 1
	BufferEvents int           // events that may wait before new ones are dropped; 0 means 65,536
	BufferBytes  int64         // encoded bytes that may wait beside them; 0 means 16 MiB
	Linger       time.Duration // how long an event waits for others; 0 means 50 ms
	Heartbeat    time.Duration // 0 means 10 s
	Progress     time.Duration // how often a long generation is told of; 0 means 10 s
}

func (o Options) withDefaults() Options {
	o.Producer = cmp.Or(o.Producer, o.Instance)
	o.Boot = cmp.Or(o.Boot, randomID())
	o.Role = cmp.Or(o.Role, stream.RoleEngine)
	o.Source = cmp.Or(o.Source, o.Role.String())
	o.Lanes = cmp.Or(o.Lanes, 1)
	o.BufferEvents = cmp.Or(o.BufferEvents, 65_536)
	o.BufferBytes = cmp.Or(o.BufferBytes, 16<<20)
	o.Linger = cmp.Or(o.Linger, 50*time.Millisecond)
	o.Heartbeat = cmp.Or(o.Heartbeat, 10*time.Second)
	o.Progress = cmp.Or(o.Progress, 10*time.Second)
	return o
}

func (o Options) validate() error {
	if o.Instance == "" {
		return errors.New("the client needs the name of its instance: set Options.Instance")
	}
	if o.Lanes < 1 || o.Lanes > 1024 {
		return fmt.Errorf("%d lanes are not possible: 1 to 1024", o.Lanes)
	}
	if o.BufferEvents < 0 || o.BufferBytes < 0 || o.Linger < 0 || o.Heartbeat < 0 || o.Progress < 0 {
		return errors.New("buffers and times of the client must not be negative")
	}
	return o.Kafka.Check()
}

// randomID is 64 random bits as text.
func randomID() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// Number is a count that may be unknown, as its zero value is. Unknown is told apart from 0 all the way down.
type Number struct {
	value int64
	known bool
}

// N is a known number.
func N(v int64) Number { return Number{v, true} }

func (n Number) set(e *stream.Event, f stream.Field) {
	if n.known {
		e.SetInt(f, n.value)
	}
}

func setText(e *stream.Event, f stream.Field, s string) {
	if s != "" {
		e.SetText(f, s)
	}
}

func setBool(e *stream.Event, f stream.Field, v bool) {
	if v {
		e.SetInt(f, 1)
	}
}
