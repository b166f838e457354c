// Package ingest consumes events from brokers: it fetches messages, records their
// events, and acknowledges each message when its event is durable.
//
//	consumer := ingest.New(ingest.Options{Gate: gate, Who: principal, Dial: dial})
//	err := consumer.Run(ctx)
//
// [Source] hides the broker; one package per broker implements it. All of them use the
// same gate as other streams, so that the events of one session are ordered across
// transports.
//
// # What is guaranteed
//
//   - A message is acknowledged only when its event is durable, or when its dead letter
//     is stored. If the process ends in between, the broker delivers it again.
//   - A redelivered message is a duplicate in the journal, by its event id: at least
//     once from the broker, exactly once on record.
//   - A message that can never be recorded becomes a dead letter, with its bytes, the
//     reason, and its place: an invalid event, an event of another tenant or agent, and
//     what the board refuses. It does not block other messages.
//   - Temporary errors (a full disk, a board that does not write, a tenant over its
//     rate) make no dead letters. The messages stay with the broker and are retried
//     with growing waits.
//   - The fetched and unacknowledged messages are limited, in number and in bytes.
//
// # What is not
//
// A dead letter may exist twice if the process ends between storing it and
// acknowledging the message, unless the broker does both at once. A tenant over its
// rate may delay others that share its consumer.
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
	// Subject is the subject, topic or stream, and Offset its place there, in the
	// broker's notation.
	Subject string
	Offset  string
	// Again says that the broker delivered it before.
	Again bool
	// Token belongs to the source.
	Token any
}

// Dead is a message that cannot be recorded, and why.
type Dead struct {
	Message *Message
	Code    string // of docs/errors.md
	Detail  string // one line
}

// Source is a connection to a broker. One goroutine calls Fetch; the other methods may
// be called concurrently with it. An error of any of them may be temporary; after
// several in a row the source is closed and a new one dialled.
type Source interface {
	// Fetch waits for messages, at most some seconds, and returns up to n of them. None
	// is no error.
	Fetch(ctx context.Context, n int) ([]*Message, error)
	// Ack acknowledges messages, in any order. Messages that were acknowledged before,
	// or belong to another consumer by now, are skipped.
	Ack(ctx context.Context, done []*Message) error
	// Bury stores dead letters durably and then acknowledges their messages. It returns
	// how many of them, from the first, it has completed.
	Bury(ctx context.Context, dead []Dead) (int, error)
	// Working reports to the broker that messages are in progress. It is called every
	// Heartbeat, or never if that is zero.
	Working(ctx context.Context, busy []*Message) error
	Heartbeat() time.Duration
	// Lag returns the number of unacknowledged messages, fetched or not.
	Lag(ctx context.Context) (int64, error)
	// Close closes the connection and leaves everything else with the broker.
	Close() error
}

// The names of what a dead letter carries besides the bytes of its message, if the
// broker has headers or fields.
const (
	HeaderCode    = "Lukasa-Code"
	HeaderDetail  = "Lukasa-Detail"
	HeaderSubject = "Lukasa-Subject"
	HeaderOffset  = "Lukasa-Offset"
)

// Headers returns the names and values that a dead letter carries, in a fixed order.
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

// Options says what is consumed, and as which principal. Gate, Who and Dial are
// required.
type Options struct {
	// Name is the consumer's name in logs.
	Name string
	// Gate passes events to the board.
	Gate *intake.Gate
	// Who is the writer. Events of other tenants than its own are refused, unless it is
	// an operator without one; so are events of other agents, if it is bound to one.
	Who *auth.Principal
	// Dial connects to the broker.
	Dial func(ctx context.Context) (Source, error)
	// Admit, if set, is called for each event with the size of its message, for example
	// for quotas. Its error decides by the catalogue what happens to the message: a
	// retry if the error is temporary, otherwise a dead letter.
	Admit func(ev *lukasa.Event, bytes int) error

	// Batch is how many messages are fetched at once. InFlight and Bytes limit the
	// fetched and unacknowledged messages. A single batch may exceed Bytes.
	Batch, InFlight int
	Bytes           int64
	// Grace is how long Run waits at the end for messages under way.
	Grace time.Duration
	// Timeout is for a single call of the broker.
	Timeout time.Duration
	// MinBackoff and MaxBackoff limit the waits after errors, which double.
	MinBackoff, MaxBackoff time.Duration
	// LagEvery is how often the lag is measured.
	LagEvery time.Duration
	// Log receives connections, errors and dead letters. Nil means no log.
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
		bad("who: no principal is given to write for")
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

// Consumer consumes the messages of one source. Make one with New.
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

// Run consumes until ctx is done, reconnecting as needed. It then waits for messages
// under way, at most for the grace, and leaves the rest with the broker. It must not be
// called twice at the same time.
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
