// Package kafka reads events from Kafka topics, as a member of a consumer group.
//
// Kafka has one offset per partition, so the committed offset is always the end of an
// unbroken run of completed messages: recorded, or stored as dead letters. A message
// that waits for other events holds back the offset, and nothing else. When a partition
// moves to another member, its durable run is committed first, and the new member reads
// the rest again; afterwards this member commits nothing of it.
//
// Dead letters go to a topic of their own, which is created if it is missing, with the
// key, the bytes and the headers of the message.
package kafka

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/ingest"
)

// DefaultGroup is the group if none is named.
const DefaultGroup = "lukasa"

// Config says which topics are read. Brokers and Topics must be given.
type Config struct {
	Brokers []string
	Topics  []string
	Group   string
	// DeadTopic receives the dead letters. Default: the first topic with "-dead"
	// appended.
	DeadTopic string
	// TLS, if set, is for all connections.
	TLS *tls.Config
	// User and Password are for SASL; Mechanism is plain, scram-sha-256 or
	// scram-sha-512, by default plain.
	User, Password, Mechanism string
}

// Validate reports every problem at once.
func (c Config) Validate() error {
	var problems []error
	bad := func(format string, args ...any) {
		problems = append(problems, fault.Newf(fault.BadConfig, format, args...))
	}
	if len(c.Brokers) == 0 {
		bad("kafka: brokers is empty; give an address such as 127.0.0.1:9092")
	}
	if len(c.Topics) == 0 {
		bad("kafka: topics is empty; name a topic to read")
	}
	if c.DeadTopic != "" && slices.Contains(c.Topics, c.DeadTopic) {
		bad("kafka: dead letters to %q would come back; name another topic", c.DeadTopic)
	}
	if _, ok := mechanisms[c.Mechanism]; !ok {
		bad("kafka: there is no mechanism %q; use plain, scram-sha-256 or scram-sha-512", c.Mechanism)
	}
	return errors.Join(problems...)
}

// mechanisms turn a user and a password into an option.
var mechanisms = map[string]func(user, password string) kgo.Opt{
	"": asPlain, "plain": asPlain,
	"scram-sha-256": func(user, password string) kgo.Opt {
		return kgo.SASL(scram.Auth{User: user, Pass: password}.AsSha256Mechanism())
	},
	"scram-sha-512": func(user, password string) kgo.Opt {
		return kgo.SASL(scram.Auth{User: user, Pass: password}.AsSha512Mechanism())
	},
}

func asPlain(user, password string) kgo.Opt {
	return kgo.SASL(plain.Auth{User: user, Pass: password}.AsMechanism())
}

const (
	// fetchWait is how long a fetch waits for messages.
	fetchWait = 2 * time.Second
	// fetchBytes limits the prefetch.
	fetchBytes = 8 << 20
	// revokeTime limits the final commit of a revoked partition.
	revokeTime = 5 * time.Second
)

// Source is a member of the group.
type Source struct {
	c      Config
	client *kgo.Client
	admin  *kadm.Client

	committing sync.Mutex // serializes commits, so that none goes back

	mu    sync.Mutex
	parts map[place]*partition // assigned
}

// place names a partition.
type place struct {
	topic     string
	partition int32
}

// Open joins the group, and creates the topic of dead letters if it is missing.
func Open(ctx context.Context, c Config) (*Source, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c.Group = cmp.Or(c.Group, DefaultGroup)
	c.DeadTopic = cmp.Or(c.DeadTopic, c.Topics[0]+"-dead")
	s := &Source{c: c, parts: make(map[place]*partition)}
	options := []kgo.Opt{
		kgo.SeedBrokers(c.Brokers...), kgo.ClientID("lukasa"), kgo.ConsumerGroup(c.Group), kgo.ConsumeTopics(c.Topics...),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.DisableAutoCommit(), kgo.BlockRebalanceOnPoll(),
		kgo.OnPartitionsRevoked(s.revoked), kgo.OnPartitionsLost(s.lost),
		kgo.FetchMaxBytes(fetchBytes), kgo.FetchMaxPartitionBytes(fetchBytes / 4), kgo.MaxConcurrentFetches(1),
		kgo.RequiredAcks(kgo.AllISRAcks()),
	}
	if c.TLS != nil {
		options = append(options, kgo.DialTLSConfig(c.TLS))
	}
	if c.User != "" {
		options = append(options, mechanisms[c.Mechanism](c.User, c.Password))
	}
	client, err := kgo.NewClient(options...)
	if err != nil {
		return nil, fault.Newf(fault.BadConfig, "kafka: %w", err)
	}
	s.client, s.admin = client, kadm.NewClient(client)
	if err := s.prepare(ctx); err != nil {
		client.CloseAllowingRebalance()
		return nil, err
	}
	return s, nil
}

// prepare finds the topics and creates that of dead letters.
func (s *Source) prepare(ctx context.Context) error {
	if err := s.client.Ping(ctx); err != nil {
		return fault.Newf(fault.NoServer, "kafka: %s: %w", strings.Join(s.c.Brokers, ","), err)
	}
	topics, err := s.admin.ListTopics(ctx, append(slices.Clone(s.c.Topics), s.c.DeadTopic)...)
	if err != nil {
		return fault.Newf(fault.NoServer, "kafka: %w", err)
	}
	for _, name := range s.c.Topics {
		if errors.Is(topics[name].Err, kerr.UnknownTopicOrPartition) {
			return fault.Newf(fault.BadConfig, "kafka: there is no topic %q", name).WithFix("make the topic, or name another")
		}
	}
	if errors.Is(topics[s.c.DeadTopic].Err, kerr.UnknownTopicOrPartition) {
		_, err := s.admin.CreateTopic(ctx, 1, -1, nil, s.c.DeadTopic)
		if err != nil && !errors.Is(err, kerr.TopicAlreadyExists) {
			return fault.Newf(fault.NoServer, "kafka: dead letters to %q: %w", s.c.DeadTopic, err)
		}
	}
	return nil
}

// Fetch waits for messages and returns the available ones.
func (s *Source) Fetch(ctx context.Context, n int) ([]*ingest.Message, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchWait)
	defer cancel()
	fetches := s.client.PollRecords(ctx, n)
	// Partitions may be revoked once their messages are tracked.
	defer s.client.AllowRebalance()
	var list []*ingest.Message
	s.mu.Lock()
	fetches.EachRecord(func(r *kgo.Record) {
		at := place{r.Topic, r.Partition}
		p := s.parts[at]
		if p == nil {
			p = &partition{}
			s.parts[at] = p
		}
		list = append(list, &ingest.Message{
			Body: r.Value, Subject: r.Topic, Offset: fmt.Sprintf("%d/%d", r.Partition, r.Offset), Token: p.add(r),
		})
	})
	s.mu.Unlock()
	var failed error
	fetches.EachError(func(topic string, partition int32, err error) {
		if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
			failed = fmt.Errorf("partition %d of topic %q: %w", partition, topic, err)
		}
	})
	return list, failed
}

// Ack marks messages as completed, and commits the unbroken runs.
func (s *Source) Ack(ctx context.Context, done []*ingest.Message) error {
	s.mu.Lock()
	for _, m := range done {
		m.Token.(*entry).done = true
	}
	s.mu.Unlock()
	return s.commit(ctx, func(place) bool { return true })
}

// commit commits the unbroken runs of the wanted partitions, and stops tracking them.
func (s *Source) commit(ctx context.Context, wanted func(place) bool) error {
	s.committing.Lock()
	defer s.committing.Unlock()
	var ends []*kgo.Record
	s.mu.Lock()
	for at, p := range s.parts {
		if end := p.end(); end != nil && wanted(at) {
			ends = append(ends, end)
		}
	}
	s.mu.Unlock()
	if len(ends) == 0 {
		return nil
	}
	if err := s.client.CommitRecords(ctx, ends...); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, end := range ends {
		if p := s.parts[place{end.Topic, end.Partition}]; p != nil {
			p.forget(end)
		}
	}
	return nil
}

// Bury produces dead letters, and commits once they are stored.
func (s *Source) Bury(ctx context.Context, dead []ingest.Dead) (int, error) {
	letters := make([]*kgo.Record, len(dead))
	for i, d := range dead {
		r := d.Message.Token.(*entry).record
		headers := slices.Clone(r.Headers)
		for _, h := range d.Headers() {
			headers = append(headers, kgo.RecordHeader{Key: h[0], Value: []byte(h[1])})
		}
		letters[i] = &kgo.Record{Topic: s.c.DeadTopic, Key: r.Key, Value: r.Value, Headers: headers}
	}
	stored := make(map[*kgo.Record]bool, len(letters))
	var failed error
	for _, result := range s.client.ProduceSync(ctx, letters...) {
		if result.Err != nil {
			failed = result.Err
		} else {
			stored[result.Record] = true
		}
	}
	n := 0
	for n < len(letters) && stored[letters[n]] {
		n++
	}
	done := make([]*ingest.Message, n)
	for i, d := range dead[:n] {
		done[i] = d.Message
	}
	// They are stored, so they must not be buried again; the next commit makes up for
	// one that fails.
	if err := s.Ack(ctx, done); failed == nil {
		failed = err
	}
	return n, failed
}

// Working does nothing: the client maintains its membership itself.
func (s *Source) Working(context.Context, []*ingest.Message) error { return nil }

// Heartbeat is zero: see Working.
func (s *Source) Heartbeat() time.Duration { return 0 }

// Lag returns how many messages of the topics the group has not committed.
func (s *Source) Lag(ctx context.Context) (int64, error) {
	ends, err := s.admin.ListEndOffsets(ctx, s.c.Topics...)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return 0, err
	}
	starts, err := s.admin.ListStartOffsets(ctx, s.c.Topics...)
	if err == nil {
		err = starts.Error()
	}
	if err != nil {
		return 0, err
	}
	commits, err := s.admin.FetchOffsets(ctx, s.c.Group)
	if err == nil {
		err = commits.Error()
	}
	if err != nil {
		return 0, err
	}
	var lag int64
	ends.Each(func(end kadm.ListedOffset) {
		var from int64
		if start, ok := starts.Lookup(end.Topic, end.Partition); ok {
			from = start.Offset
		}
		if at, ok := commits.Lookup(end.Topic, end.Partition); ok {
			from = max(from, at.At)
		}
		lag += max(end.Offset-from, 0)
	})
	return lag, nil
}

// Close leaves the group. Other members read again what is not committed.
func (s *Source) Close() error {
	s.client.CloseAllowingRebalance()
	return nil
}

// revoked commits the durable runs of partitions that move to another member, and drops
// them.
func (s *Source) revoked(ctx context.Context, _ *kgo.Client, gone map[string][]int32) {
	ctx, cancel := context.WithTimeout(ctx, revokeTime)
	defer cancel()
	// If this fails, the next member begins at the last commit.
	_ = s.commit(ctx, func(at place) bool { return slices.Contains(gone[at.topic], at.partition) })
	s.lost(ctx, nil, gone)
}

// lost drops partitions that belong to another member already.
func (s *Source) lost(_ context.Context, _ *kgo.Client, gone map[string][]int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for topic, list := range gone {
		for _, n := range list {
			delete(s.parts, place{topic, n})
		}
	}
}
