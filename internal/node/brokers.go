package node

import (
	"context"
	"crypto/tls"
	"fmt"
	"slices"
	"strings"

	"lukasa.dev"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/ingest"
	"lukasa.dev/internal/ingest/kafka"
	"lukasa.dev/internal/ingest/nats"
	"lukasa.dev/internal/ingest/redis"
	"lukasa.dev/internal/record"
)

// consumer is one running consumer of a broker.
type consumer struct {
	name     string
	kind     string
	consumer *ingest.Consumer
}

// Kinds of brokers.
const (
	kindNATS  = "nats"
	kindKafka = "kafka"
	kindRedis = "redis"
)

// check refuses an invalid broker.
func (b *Broker) check(i int, seen map[string]bool) error {
	at := fmt.Sprintf("broker %d", i+1)
	if !slices.Contains([]string{kindNATS, kindKafka, kindRedis}, b.Kind) {
		return fault.Newf(fault.BadConfig, "%s: kind %q is not one of nats, kafka, redis", at, b.Kind).WithFix("use one of these")
	}
	name := b.label()
	if seen[name] {
		return fault.Newf(fault.BadConfig, "%s: there is another one called %q", at, name).WithFix("give each a name of its own")
	}
	seen[name] = true
	if _, ok := record.ParseTrust(b.Trust); !ok && b.Trust != "" {
		return fault.Newf(fault.BadConfig, "%s: %q is no tier of trust", at, b.Trust).WithFix("use operator, user, agent, tool or external")
	}
	if len(b.URLs) == 0 {
		return fault.Newf(fault.BadConfig, "%s: there are no urls", at).WithFix("say where the broker is")
	}
	_, err := b.dial()
	if err != nil {
		return fault.Newf(fault.BadConfig, "%s: %v", at, err).WithFix("correct the setting; docs/operations.md has an example of each broker")
	}
	return nil
}

// dial returns the function that connects, or the error in the settings.
func (b *Broker) dial() (func(context.Context) (ingest.Source, error), error) {
	urls := make([]string, len(b.URLs))
	for i := range b.URLs {
		urls[i] = string(b.URLs[i])
	}
	switch b.Kind {
	case kindNATS:
		c := nats.Config{URL: strings.Join(urls, ","), Stream: b.Stream, Subjects: b.Subjects, Durable: b.Group, DeadSubject: b.Dead}
		return func(ctx context.Context) (ingest.Source, error) { return source(nats.Open(ctx, c)) }, c.Validate()
	case kindKafka:
		c := kafka.Config{Brokers: urls, Topics: b.Topics, Group: b.Group, DeadTopic: b.Dead, User: b.User, Password: string(b.Password), Mechanism: b.Mechanism}
		if b.TLS {
			c.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
		}
		return func(ctx context.Context) (ingest.Source, error) { return source(kafka.Open(ctx, c)) }, c.Validate()
	}
	c := redis.Config{URL: urls[0], Stream: b.Stream, Group: b.Group, Consumer: b.Member, Field: b.Field, DeadStream: b.Dead}
	return func(ctx context.Context) (ingest.Source, error) { return source(redis.Open(ctx, c)) }, c.Validate()
}

// source returns a source, and no typed nil.
func source[S ingest.Source](s S, err error) (ingest.Source, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// who is the principal that writes a broker's events.
func (b *Broker) who() *auth.Principal {
	trust, ok := record.ParseTrust(b.Trust)
	if !ok {
		trust = lukasa.Agent
	}
	p := &auth.Principal{Key: "broker-" + b.label(), Role: auth.Operator, Rights: auth.Write, Trust: trust}
	if b.Tenant != "" {
		p.Role, p.Tenant = auth.Member, b.Tenant
	}
	return p
}

// connect makes the consumers without starting them.
func (n *Node) connect() error {
	for i := range n.config.Brokers {
		b := &n.config.Brokers[i]
		dial, err := b.dial()
		if err != nil {
			return err
		}
		c, err := ingest.New(ingest.Options{
			Name: b.label(), Gate: n.gate, Who: b.who(), Dial: dial, Log: n.log,
			Admit: func(ev *lukasa.Event, bytes int) error { return n.quotas.Events(ev.TenantID, 1, int64(bytes)) },
		})
		if err != nil {
			return err
		}
		n.consumers = append(n.consumers, &consumer{name: b.label(), kind: b.Kind, consumer: c})
	}
	return nil
}

// label is the name of a broker in logs and metrics.
func (b *Broker) label() string {
	if b.Name != "" {
		return b.Name
	}
	return b.Kind
}

// consume starts the consumers.
func (n *Node) consume() {
	ctx, cancel := context.WithCancel(context.Background())
	n.halt = cancel
	for _, c := range n.consumers {
		n.consuming.Go(func() { c.consumer.Run(ctx) })
	}
}

// stopConsuming ends the consumers. Pending events are recorded and acknowledged first.
func (n *Node) stopConsuming() {
	if n.halt != nil {
		n.halt()
	}
	n.consuming.Wait()
}
