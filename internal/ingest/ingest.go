// Package ingest takes events from brokers: it fetches messages, records the events
// in them, and acknowledges each to the broker when it is on the disk.
//
//	consumer := ingest.New(ingest.Options{Gate: gate, Who: principal, Dial: dial})
//	err := consumer.Run(ctx)
//
// What a broker is like is behind [Source]; one package each implements it. All of
// them go through the same gate as other streams, so that events of one session are put
// in order whichever way they come.
//
// # What is guaranteed
//
//   - A message is acknowledged only when its event is on the disk, or when it lies
//     among the dead letters. Whatever ends in between, the broker hands it out again.
//   - A message that comes again is a duplicate in the journal, by its event id: at
//     least once from the broker, exactly once on record.
//   - What can never be recorded becomes a dead letter, with its own bytes, why, and
//     where it was: what is no event, what belongs to another tenant or agent, and what
//     the board refuses. It holds nothing else back.
//   - Trouble that passes (a full disk, a board that does not write, a tenant over its
//     rate) makes no dead letters. The messages stay with the broker and are tried
//     again, with growing waits.
//   - What is fetched and not acknowledged is bounded, in messages and in bytes.
//
// # What is not
//
// A dead letter may be there twice if the process ends between storing it and
// acknowledging the message, unless the broker stores both at once. A tenant over its
// rate may hold back others that share its consumer.
package ingest

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/intake"
)

// Message is one message of a broker.
type Message struct {
	// Body is the event, as JSON. It belongs to the consumer.
	Body []byte
	// Subject is the subject, topic or stream, and Offset its place there, as the
	// broker writes them.
	Subject string
	Offset  string
	// Again says that the broker has handed it out before.
	Again bool
	// Token is the source's own.
	Token any
}

// Dead is a message that cannot be recorded, and why.
type Dead struct {
	Message *Message
	Code    string // of docs/errors.md
	Detail  string // one line
}

// Source is a connection to a broker. Fetch is called by one goroutine; the others may
// be called beside it. An error of any of them may be of the moment; after several in a
// row the source is closed and a new one made.
type Source interface {
	// Fetch waits for messages, some seconds at most, and returns up to n of them. None
	// is no error.
	Fetch(ctx context.Context, n int) ([]*Message, error)
	// Ack tells the broker that messages are done with, whatever their order. What was
	// acknowledged before, or belongs to another consumer by now, is passed over.
	Ack(ctx context.Context, done []*Message) error
	// Bury stores dead letters durably and then acknowledges their messages. It returns
	// how many of them, from the first, it is done with.
	Bury(ctx context.Context, dead []Dead) (int, error)
	// Working tells the broker that messages are still being worked on. It is called
	// every Heartbeat, or never if that is zero.
	Working(ctx context.Context, busy []*Message) error
	Heartbeat() time.Duration
	// Lag returns how many messages are not acknowledged yet, fetched or not.
	Lag(ctx context.Context) (int64, error)
	// Close lets go of the connection and leaves everything else with the broker.
	Close() error
}

// The names of what a dead letter carries besides the bytes of its message, where the
// broker has headers or fields.
const (
	HeaderCode    = "Lukasa-Code"
	HeaderDetail  = "Lukasa-Detail"
	HeaderSubject = "Lukasa-Subject"
	HeaderOffset  = "Lukasa-Offset"
)

// Headers returns what a dead letter carries, name and value, in a fixed order.
func (d Dead) Headers() [][2]string {
	return [][2]string{
		{HeaderCode, d.Code}, {HeaderDetail, d.Detail},
		{HeaderSubject, oneLine(d.Message.Subject)}, {HeaderOffset, oneLine(d.Message.Offset)},
	}
}

// The defaults, for options that are zero.
const (
	DefaultBatch      = 128
	DefaultInFlight   = 4096
	DefaultBytes      = 64 << 20
	DefaultGrace      = 7 * time.Second
	DefaultTimeout    = 10 * time.Second
	DefaultMinBackoff = 100 * time.Millisecond
	DefaultMaxBackoff = 30 * time.Second
	DefaultLagEvery   = 10 * time.Second
)

// Options says what is consumed, and for whom. Gate, Who and Dial must be given.
type Options struct {
	// Name is that of the consumer in logs.
	Name string
	// Gate is the way in to the board.
	Gate *intake.Gate
	// Who writes. Events of other tenants than its own are refused, unless it is an
	// operator without one; and of other agents than its own, if it speaks for one.
	Who *auth.Principal
	// Dial connects to the broker.
	Dial func(ctx context.Context) (Source, error)
	// Admit, if set, is asked about each event with the size of its message, such as
	// for quotas. Its error decides what becomes of the message, by the catalogue: tried
	// again if it says so, a dead letter otherwise.
	Admit func(ev *lukasa.Event, bytes int) error

	// Batch is how many messages are fetched at once, InFlight how many of them, and
	// Bytes how many bytes, may be fetched and not acknowledged. A single batch may go
	// beyond Bytes.
	Batch, InFlight int
	Bytes           int64
	// Grace is how long Run waits at the end for what is under way.
	Grace time.Duration
	// Timeout is for a single call of the broker.
	Timeout time.Duration
	// MinBackoff and MaxBackoff bound the waits after trouble, which double.
	MinBackoff, MaxBackoff time.Duration
	// LagEvery is how often the broker is asked for the lag.
	LagEvery time.Duration
	// Log is told of connections, trouble and dead letters. Nil means nobody.
	Log *slog.Logger
}

// Validate reports every problem at once.
func (o Options) Validate() error {
	var problems []error
	bad := func(format string, args ...any) {
		problems = append(problems, fault.Newf(fault.InvalidArgument, format, args...))
	}
	if o.Gate == nil {
		bad("gate: there is none")
	}
	if o.Dial == nil {
		bad("dial: there is none")
	}
	switch {
	case o.Who == nil:
		bad("who: there is nobody to write for")
	case !o.Who.Rights.Has(auth.Write):
		bad("who: %s may not write", o.Who.Actor())
	case o.Who.Tenant == "" && o.Who.Role != auth.Operator:
		bad("who: %s has no tenant", o.Who.Actor())
	}
	for _, limit := range []struct {
		name  string
		value int64
	}{
		{"batch", int64(o.Batch)}, {"in_flight", int64(o.InFlight)}, {"bytes", o.Bytes}, {"grace", int64(o.Grace)}, {"timeout", int64(o.Timeout)},
		{"min_backoff", int64(o.MinBackoff)}, {"max_backoff", int64(o.MaxBackoff)}, {"lag_every", int64(o.LagEvery)},
	} {
		if limit.value < 0 {
			bad("%s: it is negative; leave it out for the default", limit.name)
		}
	}
	return errors.Join(problems...)
}

func (o Options) withDefaults() Options {
	o.InFlight = cmp.Or(o.InFlight, DefaultInFlight)
	o.Batch = min(cmp.Or(o.Batch, DefaultBatch), o.InFlight)
	o.Bytes = cmp.Or(o.Bytes, DefaultBytes)
	o.Grace = cmp.Or(o.Grace, DefaultGrace)
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	o.MinBackoff = cmp.Or(o.MinBackoff, DefaultMinBackoff)
	o.MaxBackoff = max(cmp.Or(o.MaxBackoff, DefaultMaxBackoff), o.MinBackoff)
	o.LagEvery = cmp.Or(o.LagEvery, DefaultLagEvery)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Log = o.Log.With("consumer", o.Name)
	return o
}

// Consumer takes the messages of one source in. Make one with New.
type Consumer struct {
	o      Options
	writer lukasa.Writer
	counts counts
}

// New returns a consumer that does nothing before Run, or every problem of the options.
func New(o Options) (*Consumer, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	c := &Consumer{o: o.withDefaults(), writer: o.Who.Writer()}
	c.counts.lag.Store(-1)
	return c, nil
}

// Run consumes until ctx is done, over as many connections as that takes. It then waits
// for what is under way, for the grace at most, and leaves the rest with the broker. It
// must not be called twice at the same time.
func (c *Consumer) Run(ctx context.Context) {
	wait := backoff{min: c.o.MinBackoff, max: c.o.MaxBackoff}
	for ctx.Err() == nil {
		src, err := c.dial(ctx)
		if err == nil {
			c.o.Log.Info("connected")
			c.counts.connected(true)
			p := newPass(c, src)
			err = p.run(ctx)
			c.counts.connected(false)
			if p.moved() {
				wait.reset()
			}
			if closed := src.Close(); err == nil {
				err = closed
			}
		}
		if ctx.Err() != nil {
			return
		}
		c.counts.trouble(err)
		pause := wait.next()
		c.o.Log.Warn("the broker does not answer as it should", "error", err, "again_in", pause)
		sleep(ctx, pause)
	}
}

func (c *Consumer) dial(ctx context.Context) (Source, error) {
	ctx, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	return c.o.Dial(ctx)
}
