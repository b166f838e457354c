// Package redis reads events from a Redis stream, as a consumer of a group.
//
// An entry has the event as JSON in one field. Entries are acknowledged one by one, in
// the order of their recording. Entries that wait for other events are claimed again by
// their own consumer, so that no other consumer claims them. Entries of consumers that
// are gone are claimed after a while. [Source.Close] marks unacknowledged entries so
// that the next consumer gets them at once.
//
// One transaction adds a dead letter to a stream of its own, with all fields of the
// entry, and acknowledges the entry: it is there exactly once. In a cluster both
// streams must be in one slot, such as {lukasa}:events and {lukasa}:events:dead.
package redis

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/ingest"
)

// The defaults, for settings that are empty.
const (
	DefaultGroup      = "lukasa"
	DefaultField      = "event"
	DefaultClaimAfter = time.Minute
)

// Config says which stream is read. URL and Stream must be given.
type Config struct {
	// URL is the address of the server, such as redis://user:password@127.0.0.1:6379/0,
	// or rediss:// for TLS.
	URL string
	// Stream is read by Consumer, a member of Group, which is created if it is missing.
	// The default name of the consumer is that of the machine.
	Stream, Group, Consumer string
	// Field is the field with the event.
	Field string
	// DeadStream receives the dead letters. Default: the stream with ":dead" appended.
	DeadStream string
	// ClaimAfter is how long an idle entry stays with its consumer.
	ClaimAfter time.Duration
}

// Validate reports every problem at once.
func (c Config) Validate() error {
	var problems []error
	bad := func(format string, args ...any) {
		problems = append(problems, fault.Newf(fault.BadConfig, format, args...))
	}
	if c.URL == "" {
		bad("redis: url is empty; give an address such as redis://127.0.0.1:6379")
	} else if _, err := goredis.ParseURL(c.URL); err != nil {
		bad("redis: the url cannot be read; write it as redis://user:password@host:port/db")
	}
	if c.Stream == "" {
		bad("redis: stream is empty; name the stream to read")
	} else if c.DeadStream == c.Stream {
		bad("redis: dead letters to %q would come back; name another stream", c.DeadStream)
	}
	if c.ClaimAfter < 0 {
		bad("redis: claim_after is negative; leave it out for %s", DefaultClaimAfter)
	}
	return errors.Join(problems...)
}

func (c Config) withDefaults() Config {
	c.Group = cmp.Or(c.Group, DefaultGroup)
	c.Field = cmp.Or(c.Field, DefaultField)
	c.DeadStream = cmp.Or(c.DeadStream, c.Stream+":dead")
	c.ClaimAfter = cmp.Or(c.ClaimAfter, DefaultClaimAfter)
	if c.Consumer == "" {
		host, err := os.Hostname()
		if err != nil || host == "" {
			host = "lukasa"
		}
		c.Consumer = host
	}
	return c
}

const (
	// fetchWait is how long a fetch waits for entries. A wait without a limit could not
	// be cancelled.
	fetchWait = time.Second
	// atOnce is how many entries one command handles.
	atOnce = 512
	// leftBehind is the idle time that is set on entries that a consumer leaves.
	leftBehind = 365 * 24 * time.Hour
)

// Source is a connection to a stream.
type Source struct {
	c      Config
	client *goredis.Client

	claimed string    // where the search for abandoned entries continues
	search  time.Time // when it starts again

	mu  sync.Mutex
	out map[string]bool // ids of delivered and unacknowledged entries
}

// Open connects to the server and creates the group if it is missing.
func Open(ctx context.Context, c Config) (*Source, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.withDefaults()
	options, err := goredis.ParseURL(c.URL)
	if err != nil {
		return nil, fault.Newf(fault.BadConfig, "redis: the url cannot be read")
	}
	options.ClientName, options.ContextTimeoutEnabled, options.DisableIdentity = "lukasa", true, true
	s := &Source{c: c, client: goredis.NewClient(options), claimed: "0-0", out: make(map[string]bool)}
	err = s.client.XGroupCreateMkStream(ctx, c.Stream, c.Group, "0").Err()
	if err != nil && !strings.HasPrefix(err.Error(), "BUSYGROUP") {
		_ = s.client.Close()
		return nil, fault.Newf(fault.NoServer, "redis: group %q of stream %q: %w", c.Group, c.Stream, err)
	}
	return s, nil
}

// Fetch returns entries that other consumers abandoned, or waits for new ones.
func (s *Source) Fetch(ctx context.Context, n int) ([]*ingest.Message, error) {
	if list, err := s.claim(ctx, n); err != nil || len(list) > 0 {
		return list, err
	}
	streams, err := s.client.XReadGroup(ctx, &goredis.XReadGroupArgs{
		Group: s.c.Group, Consumer: s.c.Consumer, Streams: []string{s.c.Stream, ">"}, Count: int64(n), Block: fetchWait,
	}).Result()
	if errors.Is(err, goredis.Nil) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []*ingest.Message
	for _, stream := range streams {
		list = append(list, s.handOut(stream.Messages, false)...)
	}
	return list, nil
}

// claim returns abandoned entries. It searches for them at the start, and then now and
// then.
func (s *Source) claim(ctx context.Context, n int) ([]*ingest.Message, error) {
	if time.Now().Before(s.search) {
		return nil, nil
	}
	entries, next, err := s.client.XAutoClaim(ctx, &goredis.XAutoClaimArgs{
		Stream: s.c.Stream, Group: s.c.Group, Consumer: s.c.Consumer, MinIdle: s.c.ClaimAfter, Start: s.claimed, Count: int64(n),
	}).Result()
	if err != nil {
		return nil, err
	}
	if s.claimed = next; next == "0-0" {
		s.search = time.Now().Add(s.c.ClaimAfter / 4)
	}
	return s.handOut(entries, true), nil
}

// handOut turns entries into messages.
func (s *Source) handOut(entries []goredis.XMessage, again bool) []*ingest.Message {
	list := make([]*ingest.Message, len(entries))
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, e := range entries {
		body, _ := e.Values[s.c.Field].(string)
		list[i] = &ingest.Message{Body: []byte(body), Subject: s.c.Stream, Offset: e.ID, Again: again, Token: e.Values}
		s.out[e.ID] = true
	}
	return list
}

// done stops tracking entries.
func (s *Source) done(ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		delete(s.out, id)
	}
}

// Ack acknowledges entries.
func (s *Source) Ack(ctx context.Context, list []*ingest.Message) error {
	for part := range slices.Chunk(offsets(list), atOnce) {
		if err := s.client.XAck(ctx, s.c.Stream, s.c.Group, part...).Err(); err != nil {
			return err
		}
		s.done(part)
	}
	return nil
}

// Bury adds dead letters and acknowledges their entries, both or neither.
func (s *Source) Bury(ctx context.Context, dead []ingest.Dead) (int, error) {
	n := 0
	for part := range slices.Chunk(dead, atOnce) {
		ids := make([]string, len(part))
		_, err := s.client.TxPipelined(ctx, func(tx goredis.Pipeliner) error {
			for i, d := range part {
				ids[i] = d.Message.Offset
				tx.XAdd(ctx, &goredis.XAddArgs{Stream: s.c.DeadStream, Values: fields(d)})
			}
			tx.XAck(ctx, s.c.Stream, s.c.Group, ids...)
			return nil
		})
		if err != nil {
			return n, err
		}
		s.done(ids)
		n += len(part)
	}
	return n, nil
}

// fields returns those of a dead letter: the entry's own, by name, and the reason.
func fields(d ingest.Dead) []string {
	own := d.Message.Token.(map[string]any)
	names := make([]string, 0, len(own))
	for name := range own {
		names = append(names, name)
	}
	slices.Sort(names)
	var list []string
	for _, name := range names {
		value, _ := own[name].(string)
		list = append(list, name, value)
	}
	for _, h := range d.Headers() {
		list = append(list, h[0], h[1])
	}
	return list
}

// Working claims entries again, so that they do not look abandoned.
func (s *Source) Working(ctx context.Context, list []*ingest.Message) error {
	return s.keep(ctx, offsets(list), 0)
}

// keep claims entries for its own consumer and sets their idle time.
func (s *Source) keep(ctx context.Context, ids []string, idle time.Duration) error {
	for part := range slices.Chunk(ids, atOnce) {
		args := []any{"XCLAIM", s.c.Stream, s.c.Group, s.c.Consumer, 0}
		for _, id := range part {
			args = append(args, id)
		}
		if err := s.client.Do(ctx, append(args, "IDLE", idle.Milliseconds(), "JUSTID")...).Err(); err != nil {
			return err
		}
	}
	return nil
}

// Heartbeat is a third of the time after which others claim.
func (s *Source) Heartbeat() time.Duration { return s.c.ClaimAfter / 3 }

// Lag returns the number of unacknowledged entries. If the server does not know how
// many are undelivered, it is a lower bound.
func (s *Source) Lag(ctx context.Context) (int64, error) {
	groups, err := s.client.XInfoGroups(ctx, s.c.Stream).Result()
	if err != nil {
		return 0, err
	}
	for _, g := range groups {
		if g.Name != s.c.Group {
			continue
		}
		if g.Lag >= 0 {
			return g.Pending + g.Lag, nil
		}
		rest, err := s.client.XRangeN(ctx, s.c.Stream, "("+g.LastDeliveredID, "+", atOnce).Result()
		return g.Pending + int64(len(rest)), err
	}
	return 0, fault.Newf(fault.NotFound, "redis: stream %q has no group %q", s.c.Stream, s.c.Group)
}

// Close leaves unacknowledged entries to the next consumer, and closes the connection.
func (s *Source) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	s.mu.Lock()
	var left []string
	for id := range s.out {
		left = append(left, id)
	}
	s.mu.Unlock()
	slices.Sort(left)
	return errors.Join(s.keep(ctx, left, leftBehind), s.client.Close())
}

func offsets(list []*ingest.Message) []string {
	ids := make([]string, len(list))
	for i, m := range list {
		ids[i] = m.Offset
	}
	return ids
}
