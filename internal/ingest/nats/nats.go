// Package nats reads events from a NATS JetStream stream, with a durable pull consumer.
//
// Messages are acknowledged one by one, in the order of their recording. Messages that
// wait for other events are reported as in progress, so that the server does not
// redeliver them. Dead letters are published to a subject of their own, which must
// belong to another stream; if none has it, one is created. A message is ended only when
// that stream has stored its dead letter. A dead letter has an id made of stream and
// sequence, so that storing it again within the stream's duplicate window has no effect.
//
// [Source.Close] hands unacknowledged messages back, so that the next consumer gets them
// at once.
package nats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/ingest"
)

// The defaults, for settings that are empty.
const (
	DefaultDurable  = "lukasa"
	DefaultAckWait  = 30 * time.Second
	DefaultAckLimit = ingest.DefaultInFlight
)

// Config says which stream is read. URL and Stream must be given.
type Config struct {
	// URL names the servers, separated by commas.
	URL string
	// Stream is read by the consumer Durable, which is created if it is missing. Only
	// messages of Subjects are read, or all if there are none.
	Stream   string
	Durable  string
	Subjects []string
	// DeadSubject receives the dead letters. Default: "lukasa-dead." and the name of the
	// stream.
	DeadSubject string
	// AckWait is how long the server waits before it redelivers a message, and AckLimit
	// the maximum number of unacknowledged messages.
	AckWait  time.Duration
	AckLimit int
	// Options are for the connection: credentials, TLS.
	Options []nats.Option
}

// Validate reports every problem at once.
func (c Config) Validate() error {
	var problems []error
	bad := func(format string, args ...any) {
		problems = append(problems, fault.Newf(fault.BadConfig, format, args...))
	}
	if c.URL == "" {
		bad("nats: url is empty; give an address such as nats://127.0.0.1:4222")
	}
	if c.Stream == "" {
		bad("nats: stream is empty; name the stream to read")
	}
	if c.AckWait < 0 || c.AckLimit < 0 {
		bad("nats: ack_wait and ack_limit must not be negative")
	}
	return errors.Join(problems...)
}

func (c Config) withDefaults() Config {
	c.Durable = cmp.Or(c.Durable, DefaultDurable)
	c.DeadSubject = cmp.Or(c.DeadSubject, "lukasa-dead."+c.Stream)
	c.AckWait = cmp.Or(c.AckWait, DefaultAckWait)
	c.AckLimit = cmp.Or(c.AckLimit, DefaultAckLimit)
	return c
}

const (
	// fetchWait is how long a fetch waits for its first message, and restWait for the
	// others.
	fetchWait = 2 * time.Second
	restWait  = time.Millisecond
	// drainWait is how long Close waits for messages that the server has sent.
	drainWait = 2 * time.Second
)

// Source is a connection to a stream.
type Source struct {
	c        Config
	conn     *nats.Conn
	js       jetstream.JetStream
	consumer jetstream.Consumer
	coming   jetstream.MessagesContext // the messages asked for and not read yet, or nil

	mu  sync.Mutex
	out map[*ingest.Message]jetstream.Msg // delivered and not acknowledged
}

// Open connects to the server and creates what is missing: the consumer, and a stream
// for dead letters.
func Open(ctx context.Context, c Config) (*Source, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.withDefaults()
	options := append([]nats.Option{
		nats.Name("lukasa"), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond), nats.ReconnectJitter(250*time.Millisecond, time.Second),
		nats.Timeout(5 * time.Second), nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2),
	}, c.Options...)
	conn, err := nats.Connect(c.URL, options...)
	if err != nil {
		return nil, fault.Newf(fault.NoServer, "nats: %w", err)
	}
	s := &Source{c: c, conn: conn, out: make(map[*ingest.Message]jetstream.Msg)}
	if err := s.prepare(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	return s, nil
}

// prepare finds the stream, the consumer and the stream of dead letters.
func (s *Source) prepare(ctx context.Context) (err error) {
	if s.js, err = jetstream.New(s.conn); err != nil {
		return fault.Newf(fault.NoServer, "nats: %w", err)
	}
	s.consumer, err = s.js.CreateOrUpdateConsumer(ctx, s.c.Stream, jetstream.ConsumerConfig{
		Durable: s.c.Durable, AckPolicy: jetstream.AckExplicitPolicy, DeliverPolicy: jetstream.DeliverAllPolicy,
		AckWait: s.c.AckWait, MaxAckPending: s.c.AckLimit, MaxDeliver: -1, FilterSubjects: s.c.Subjects,
	})
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return fault.Newf(fault.BadConfig, "nats: there is no stream %q", s.c.Stream).WithFix("make the stream, or name another")
	}
	if err != nil {
		return fault.Newf(fault.NoServer, "nats: consumer %q of stream %q: %w", s.c.Durable, s.c.Stream, err)
	}
	name, err := s.js.StreamNameBySubject(ctx, s.c.DeadSubject)
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
		_, err = s.js.CreateStream(ctx, jetstream.StreamConfig{
			Name: s.c.Stream + "-dead", Subjects: []string{s.c.DeadSubject}, Description: "what lukasa could not record",
		})
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			return fault.Newf(fault.BadConfig, "nats: the stream %q is there and does not have the subject %q of dead letters", s.c.Stream+"-dead", s.c.DeadSubject).
				WithFix("add the subject to a stream for dead letters, or name another subject")
		}
	case err == nil && name == s.c.Stream:
		return fault.Newf(fault.BadConfig, "nats: dead letters to %q would come back by the stream %q", s.c.DeadSubject, name).
			WithFix("name a subject that another stream has, or none has")
	}
	if err != nil {
		return fault.Newf(fault.NoServer, "nats: dead letters to %q: %w", s.c.DeadSubject, err)
	}
	return nil
}

// Fetch waits for messages and returns the available ones.
func (s *Source) Fetch(ctx context.Context, n int) (list []*ingest.Message, err error) {
	if s.coming == nil {
		s.coming, err = s.consumer.Messages(jetstream.PullMaxMessages(n), jetstream.StopAfter(n), jetstream.PullExpiry(fetchWait+time.Second))
		if err != nil {
			return nil, err
		}
	}
	first, enough := context.WithTimeout(ctx, fetchWait)
	defer enough()
	wait := first
	for len(list) < n {
		m, err := s.coming.Next(jetstream.NextContext(wait))
		switch {
		case err == nil:
			list = append(list, s.handOut(m))
			if len(list) == 1 {
				// The others are on their way, or there are none.
				rest, enough := context.WithTimeout(ctx, restWait)
				defer enough()
				wait = rest
			}
		case errors.Is(err, jetstream.ErrMsgIteratorClosed):
			s.coming = nil
			return list, nil
		case ctx.Err() != nil:
			return list, nil // the rest is for Close
		case wait.Err() == nil:
			s.coming.Stop()
			s.coming = nil
			return list, err
		case len(list) > 0:
			return list, nil
		default:
			// The request may be lost, for example with its server. The next call asks again.
			return s.drain(), nil
		}
	}
	return list, nil
}

// drain ends the request for messages, and returns those that the server has sent for it.
func (s *Source) drain() (list []*ingest.Message) {
	coming := s.coming
	s.coming = nil
	if !s.conn.IsConnected() {
		coming.Stop()
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), drainWait)
	defer cancel()
	coming.Drain()
	for {
		m, err := coming.Next(jetstream.NextContext(ctx))
		if err != nil {
			return list
		}
		list = append(list, s.handOut(m))
	}
}

// handOut turns a message into one of the consumer's.
func (s *Source) handOut(m jetstream.Msg) *ingest.Message {
	msg := &ingest.Message{Body: m.Data(), Subject: m.Subject(), Offset: m.Reply(), Token: m}
	if meta, err := m.Metadata(); err == nil {
		msg.Offset = fmt.Sprint(meta.Sequence.Stream)
		msg.Again = meta.NumDelivered > 1
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out[msg] = m
	return msg
}

// done stops tracking a message.
func (s *Source) done(m *ingest.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.out, m)
}

// Ack acknowledges messages, and returns when the server has confirmed it.
func (s *Source) Ack(ctx context.Context, list []*ingest.Message) error {
	for _, m := range list {
		if err := m.Token.(jetstream.Msg).Ack(); err != nil && !errors.Is(err, jetstream.ErrMsgAlreadyAckd) {
			return err
		}
	}
	if err := s.conn.FlushWithContext(ctx); err != nil {
		return err
	}
	for _, m := range list {
		s.done(m)
	}
	return nil
}

// Bury publishes dead letters and ends their messages once they are stored.
func (s *Source) Bury(ctx context.Context, dead []ingest.Dead) (int, error) {
	for i, d := range dead {
		msg := &nats.Msg{Subject: s.c.DeadSubject, Data: d.Message.Body, Header: nats.Header{}}
		for name, values := range d.Message.Token.(jetstream.Msg).Headers() {
			if name != jetstream.MsgIDHeader {
				msg.Header[name] = values
			}
		}
		for _, h := range d.Headers() {
			msg.Header.Set(h[0], h[1])
		}
		id := s.c.Stream + "/" + d.Message.Offset
		if _, err := s.js.PublishMsg(ctx, msg, jetstream.WithMsgID(id)); err != nil {
			return i, err
		}
		if err := d.Message.Token.(jetstream.Msg).TermWithReason(d.Code); err != nil && !errors.Is(err, jetstream.ErrMsgAlreadyAckd) {
			return i, err
		}
		s.done(d.Message)
	}
	return len(dead), s.conn.FlushWithContext(ctx)
}

// Working reports to the server that messages are in progress.
func (s *Source) Working(ctx context.Context, list []*ingest.Message) error {
	for _, m := range list {
		if err := m.Token.(jetstream.Msg).InProgress(); err != nil && !errors.Is(err, jetstream.ErrMsgAlreadyAckd) {
			return err
		}
	}
	return s.conn.FlushWithContext(ctx)
}

// Heartbeat is a third of AckWait.
func (s *Source) Heartbeat() time.Duration { return s.c.AckWait / 3 }

// Lag returns how many messages are not acknowledged.
func (s *Source) Lag(ctx context.Context) (int64, error) {
	info, err := s.consumer.Info(ctx)
	if err != nil {
		return 0, err
	}
	return int64(info.NumPending) + int64(info.NumAckPending), nil
}

// Close hands back what is not acknowledged, and ends the connection.
func (s *Source) Close() error {
	defer s.conn.Close()
	if s.coming != nil {
		s.drain()
	}
	if !s.conn.IsConnected() {
		return nil // the server notices by itself
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// The server redelivers in the order of these.
	list := slices.SortedFunc(maps.Values(s.out), func(a, b jetstream.Msg) int {
		return cmp.Compare(sequence(a), sequence(b))
	})
	if len(list) == 0 {
		return s.conn.FlushTimeout(time.Second)
	}
	last := len(list) - 1
	for _, m := range list[:last] {
		if err := m.Nak(); err != nil && !errors.Is(err, jetstream.ErrMsgAlreadyAckd) {
			return err
		}
	}
	// The server handles these later than it receives them. Its answer to the last one
	// says that it has handled all.
	_, err := s.conn.Request(list[last].Reply(), []byte("-NAK"), time.Second)
	if errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrNoResponders) {
		return nil // they are redelivered after AckWait
	}
	return err
}

// sequence returns the place of a message in its stream.
func sequence(m jetstream.Msg) uint64 {
	meta, err := m.Metadata()
	if err != nil {
		return 0
	}
	return meta.Sequence.Stream
}
