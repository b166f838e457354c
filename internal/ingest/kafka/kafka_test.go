package kafka_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"lukasa.dev/hmx/wire"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/ingest"
	"lukasa.dev/internal/ingest/ingesttest"
	"lukasa.dev/internal/ingest/kafka"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// broker is a new cluster, or the one that LUKASA_KAFKA_BROKERS names.
type broker struct {
	addrs   []string
	cluster *kfake.Cluster
	dir     string
	c       kafka.Config
}

func startCluster(t *testing.T, dir string, port int) *kfake.Cluster {
	t.Helper()
	options := []kfake.Opt{kfake.NumBrokers(1), kfake.DataDir(dir)}
	if port > 0 {
		options = append(options, kfake.Ports(port))
	}
	cluster, err := kfake.NewCluster(options...)
	if err != nil {
		t.Fatal(err)
	}
	return cluster
}

func start(t *testing.T, _ time.Duration) ingesttest.Broker { return startBroker(t) }

func startBroker(t *testing.T) *broker {
	t.Helper()
	b := &broker{dir: t.TempDir()}
	if list := os.Getenv("LUKASA_KAFKA_BROKERS"); list != "" {
		b.addrs = strings.Split(list, ",")
	} else {
		b.cluster = startCluster(t, b.dir, 0)
		b.addrs = b.cluster.ListenAddrs()
		t.Cleanup(func() { b.cluster.Close() })
	}
	name := fmt.Sprint("lukasa-test-", time.Now().UnixNano())
	b.c = kafka.Config{Brokers: b.addrs, Topics: []string{name}, Group: name}
	b.with(t, func(ctx context.Context, client *kgo.Client) {
		if _, err := kadm.NewClient(client).CreateTopic(ctx, 3, -1, nil, name); err != nil {
			t.Fatal(err)
		}
	})
	return b
}

// with runs f with a new client.
func (b *broker) with(t *testing.T, f func(context.Context, *kgo.Client), options ...kgo.Opt) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client, err := kgo.NewClient(append(options, kgo.SeedBrokers(b.addrs...))...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	f(ctx, client)
}

func (b *broker) Publish(t *testing.T, msgs ...wire.Message) {
	t.Helper()
	b.with(t, func(ctx context.Context, client *kgo.Client) {
		records := make([]*kgo.Record, len(msgs))
		for i, m := range msgs {
			records[i] = &kgo.Record{Topic: b.c.Topics[0], Key: []byte(m.Key), Value: m.Body, Headers: []kgo.RecordHeader{{Key: "Trace", Value: []byte("kept")}}}
		}
		if err := client.ProduceSync(ctx, records...).FirstErr(); err != nil {
			t.Fatal(err)
		}
	})
}

func (b *broker) Dial(ctx context.Context) (ingest.Source, error) {
	src, err := kafka.Open(ctx, b.c)
	if err != nil {
		return nil, err
	}
	return src, nil
}

func (b *broker) Letters(t *testing.T) (list []ingesttest.Letter) {
	t.Helper()
	topic := b.c.Topics[0] + "-dead"
	var want int64
	b.with(t, func(ctx context.Context, client *kgo.Client) {
		ends, err := kadm.NewClient(client).ListEndOffsets(ctx, topic)
		if err != nil || ends.Error() != nil {
			t.Fatal(err, ends.Error())
		}
		ends.Each(func(end kadm.ListedOffset) { want += end.Offset })
	})
	if want == 0 {
		return nil
	}
	b.with(t, func(ctx context.Context, client *kgo.Client) {
		for int64(len(list)) < want {
			fetches := client.PollFetches(ctx)
			if err := fetches.Err(); err != nil {
				t.Fatal(err)
			}
			fetches.EachRecord(func(r *kgo.Record) {
				l := ingesttest.Letter{Body: string(r.Value), Headers: map[string]string{}}
				for _, h := range r.Headers {
					l.Headers[h.Key] = string(h.Value)
				}
				if l.Headers["Trace"] != "kept" || len(r.Key) == 0 {
					t.Errorf("a dead letter without its own key or headers: %q %v", r.Key, l.Headers)
				}
				list = append(list, l)
			})
		}
	}, kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	return list
}

func (b *broker) Restart(t *testing.T) bool {
	if b.cluster == nil {
		return false
	}
	_, port, err := net.SplitHostPort(b.addrs[0])
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	b.cluster.Close()
	b.cluster = startCluster(t, b.dir, n)
	return true
}

func TestSuite(t *testing.T) { ingesttest.Run(t, start) }

func TestBadConfig(t *testing.T) {
	t.Parallel()
	b := startBroker(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for name, c := range map[string]kafka.Config{
		"nothing":             {},
		"no such topic":       {Brokers: b.addrs, Topics: []string{"none"}},
		"dead letters return": {Brokers: b.addrs, Topics: b.c.Topics, DeadTopic: b.c.Topics[0]},
		"no such mechanism":   {Brokers: b.addrs, Topics: b.c.Topics, User: "u", Mechanism: "magic"},
	} {
		if src, err := kafka.Open(ctx, c); fault.CodeOf(err) != fault.BadConfig {
			t.Errorf("%s: %v %v", name, src, err)
		}
	}
	short, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	if _, err := kafka.Open(short, kafka.Config{Brokers: []string{"127.0.0.1:1"}, Topics: []string{"t"}}); fault.CodeOf(err) != fault.NoServer {
		t.Errorf("nobody there: %v", err)
	}
}

// committed returns the offsets of the group by partition; -1 where there is none.
func (b *broker) committed(t *testing.T) map[int32]int64 {
	t.Helper()
	got := make(map[int32]int64)
	b.with(t, func(ctx context.Context, client *kgo.Client) {
		offsets, err := kadm.NewClient(client).FetchOffsets(ctx, b.c.Group)
		if err != nil {
			t.Fatal(err)
		}
		offsets.Each(func(o kadm.OffsetResponse) { got[o.Partition] = o.At })
	})
	return got
}

// A partition that moves to another member takes along what is not durable: the
// offset stays before the first such message, whatever the former member acknowledges
// later.
func TestPartitionGoesToAnotherMember(t *testing.T) {
	t.Parallel()
	b := startBroker(t)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	const each, missing = 10, "/3"
	b.with(t, func(ctx context.Context, client *kgo.Client) {
		for p := range int32(3) {
			for i := range each {
				r := &kgo.Record{Topic: b.c.Topics[0], Partition: p, Value: fmt.Appendf(nil, "%d/%d", p, i)}
				if err := client.ProduceSync(ctx, r).FirstErr(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}, kgo.RecordPartitioner(kgo.ManualPartitioner()))
	open := func() *kafka.Source {
		s, err := kafka.Open(ctx, b.c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return s
	}
	fetch := func(s *kafka.Source, n int) []*ingest.Message {
		list, err := s.Fetch(ctx, n)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	first := open()
	var done, left []*ingest.Message
	for len(done)+len(left) < 3*each {
		for _, m := range fetch(first, 7) {
			if strings.HasSuffix(m.Offset, missing) {
				left = append(left, m)
			} else {
				done = append(done, m)
			}
		}
	}
	if err := first.Ack(ctx, done); err != nil {
		t.Fatal(err)
	}
	if got := b.committed(t); got[0] != 3 || got[1] != 3 || got[2] != 3 {
		t.Fatalf("committed %v with the fourth message of each not done", got)
	}
	second := open()
	got := make(chan []*ingest.Message)
	go func() {
		var list []*ingest.Message
		for ctx.Err() == nil && len(list) == 0 {
			more, err := second.Fetch(ctx, 100)
			if err != nil {
				t.Error(err)
			}
			list = append(list, more...)
		}
		got <- list
	}()
	var moved []*ingest.Message
	for moved == nil {
		select {
		case moved = <-got:
		default:
			fetch(first, 1) // partitions may move during a fetch
		}
	}
	partition, offset, _ := strings.Cut(moved[0].Offset, "/")
	if offset != "3" {
		t.Errorf("the other member begins at %s", moved[0].Offset)
	}
	// The first member completes what it had, including what is no longer its own.
	if err := first.Ack(ctx, left); err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(partition)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.committed(t); got[int32(n)] != 3 {
		t.Errorf("committed %v, and the other member has not done with partition %d", got, n)
	}
	if err := second.Ack(ctx, moved); err != nil {
		t.Fatal(err)
	}
	if got := b.committed(t); got[int32(n)] <= 3 {
		t.Errorf("committed %v after the other member is done", got)
	}
}
