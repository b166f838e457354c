package node

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lukasa.dev/client"
	"lukasa.dev/internal/testsize"
)

// The memory of a server under attack, and the variable that makes a process one.
const (
	ceiling       = 512 << 20
	ceilingData   = "LUKASA_CEILING_DATA"
	ceilingToken  = "the token of a server that is attacked"
	slowTenant    = "slow"
	hostileTenant = "hostile"
	goodTenant    = "acme"
)

// assault is the load of one attack.
type assault struct {
	slow, workers, bodies int
	lasts                 time.Duration
}

// TestCeiling attacks a server that may use 512 MiB with everything that is known to consume
// memory, at once: slow connections, large bodies, compression bombs and JSON bombs. It must
// stay below the limit and answer every call of a tenant that behaves.
func TestCeiling(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv(ceilingData); dir != "" {
		serveCeiling(t, dir)
		return
	}
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("the system does not tell how much memory a process has")
	}
	// The second wave has fewer at a time, so that more of what is sent is admitted and read.
	waves := []assault{{slow: 200, workers: 16, bodies: 100, lasts: 3 * time.Second}, {workers: 4, bodies: 100, lasts: 2 * time.Second}}
	if testsize.Full() {
		waves = []assault{{slow: 2000, workers: 256, bodies: 5000, lasts: 30 * time.Second}, {workers: 4, bodies: 5000, lasts: 20 * time.Second}}
	}
	testsize.Long(t, "it takes seconds")
	s := startCeiling(t)
	t.Logf("memory at first: %d MiB", s.peak(t)>>20)
	for _, a := range waves {
		s.attack(t, a)
	}
	s.stop(t)
}

// attack runs an attack for a while, and measures the calls of a tenant that behaves.
func (s *attacked) attack(t *testing.T, a assault) {
	t.Helper()
	weapons := weapons() // these take a while to make
	ctx, cancel := context.WithTimeout(t.Context(), a.lasts)
	defer cancel()
	var all sync.WaitGroup
	for i := range a.slow {
		all.Go(func() { s.drip(ctx, i) })
	}
	sent := s.flood(ctx, &all, a, weapons)
	times := s.behave(t, ctx)
	cancel()
	all.Wait()
	slices.Sort(times)
	peak := s.peak(t)
	t.Logf("%d slow connections, %d hostile bodies (%s); memory %d MiB at most so far", a.slow, sent.total(), sent, peak>>20)
	t.Logf("a tenant that behaves: %d calls, p50 %s, p99 %s (the goal is 250ms), at most %s",
		len(times), times[len(times)/2], times[len(times)*99/100], times[len(times)-1])
	if peak >= ceiling {
		t.Errorf("the server had %d MiB", peak>>20)
	}
}

// serveCeiling is the server, in a process of its own. It ends with its input.
func serveCeiling(t *testing.T, dir string) {
	c := Defaults()
	c.Data, c.Listen, c.Memory, c.Token = dir, "127.0.0.1:0", ceiling, ceilingToken
	c.Grace = Duration(5 * time.Second)
	n, err := Start(t.Context(), c, Options{Log: c.NewLog(io.Discard, false)})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(n.URL())
	_, _ = io.Copy(io.Discard, os.Stdin)
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
}

// attacked is a server under attack, seen from outside.
type attacked struct {
	cmd   *exec.Cmd
	input io.Closer
	url   string
	ended chan error
	said  bytes.Buffer
}

// startCeiling starts a server.
func startCeiling(t *testing.T) *attacked {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &attacked{cmd: exec.Command(self, "-test.run=^TestCeiling$"), ended: make(chan error, 1)}
	s.cmd.Env = append(os.Environ(), ceilingData+"="+filepath.Join(t.TempDir(), "data"), "GOMEMLIMIT=", "GOCOVERDIR="+t.TempDir())
	s.cmd.Stderr = &s.said
	in, err := s.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.input = in
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	go func() {
		_, _ = io.Copy(&s.said, lines)
		s.ended <- s.cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill() // it may have ended
	})
	if s.url = strings.TrimSpace(line); err != nil || !strings.HasPrefix(s.url, "http://127.0.0.1:") {
		t.Fatalf("%q, %v", line, err)
	}
	return s
}

// peak returns the peak memory of the server.
func (s *attacked) peak(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		t.Fatalf("the server is gone: %v\n%s", err, s.said.String())
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kb << 10
		}
	}
	t.Skip("the system does not tell how much memory a process had")
	return 0
}

// stop shuts the server down.
func (s *attacked) stop(t *testing.T) {
	t.Helper()
	_ = s.input.Close() // signals the server to end
	select {
	case err := <-s.ended:
		if err != nil {
			t.Errorf("%v\n%s", err, s.said.String())
		}
	case <-time.After(2 * time.Minute):
		t.Error("the server does not stop")
	}
}

// head is the beginning of a call by the slow tenant.
func head(method, path string, lines ...string) string {
	return method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + ceilingToken + "\r\nX-Lukasa-Tenant: " + slowTenant + "\r\n" + strings.Join(lines, "")
}

// drip keeps a connection that sends a few bytes now and then, or does not read the answer. It
// reconnects when it is closed.
func (s *attacked) drip(ctx context.Context, i int) {
	ways := [...]struct{ start, drop string }{
		{"GET /v1/root HTTP/1.1\r\nHost: localhost\r\n", "X-A: a\r\n"},
		{head("POST", "/v1/events", "Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n"), " "},
		{head("POST", "/v1/events", "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"), "1\r\n \r\n"},
		{head("POST", "/v1/pack", "Content-Type: application/json\r\nContent-Length: 8000000\r\n\r\n") + strings.Repeat(" ", 4000), " "},
		{"", head("GET", "/openapi.json", "\r\n")},
	}
	way := ways[i%len(ways)]
	for ctx.Err() == nil {
		s.dripOnce(ctx, way.start, way.drop)
		pause(ctx, 100*time.Millisecond)
	}
}

// dripOnce is drip until the connection is closed.
func (s *attacked) dripOnce(ctx context.Context, start, drop string) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		return
	}
	defer conn.Close()
	for text := start; ctx.Err() == nil; text = drop {
		_ = conn.SetWriteDeadline(time.Now().Add(time.Second))
		if _, err := io.WriteString(conn, text); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
		pause(ctx, 300*time.Millisecond)
	}
}

// pause waits a while, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// answered counts answers.
type answered struct {
	mu sync.Mutex
	by map[int]int // 0 means no answer
}

func (s *answered) count(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.by[status]++
}

func (s *answered) total() (n int) {
	for _, k := range s.by {
		n += k
	}
	return n
}

func (s *answered) String() string { return fmt.Sprint(s.by) }

// flood sends large bodies and bombs concurrently until there were enough or ctx ends.
func (s *attacked) flood(ctx context.Context, all *sync.WaitGroup, a assault, weapons []weapon) *answered {
	sent := &answered{by: map[int]int{}}
	c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: a.workers}}
	var next atomic.Int64
	var done sync.WaitGroup
	for range a.workers {
		done.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1) - 1)
				if i >= a.bodies {
					return
				}
				status := weapons[i%len(weapons)].fire(ctx, c, s.url)
				if ctx.Err() == nil {
					sent.count(status)
				}
			}
		})
	}
	all.Go(func() {
		done.Wait()
		c.CloseIdleConnections()
	})
	return sent
}

// weapon is a harmful body.
type weapon struct {
	path, media, coding string
	body                []byte
}

// fire sends it, and returns the status of the answer.
func (w *weapon) fire(ctx context.Context, c *http.Client, url string) int {
	req, err := http.NewRequestWithContext(ctx, "POST", url+w.path, bytes.NewReader(w.body))
	if err != nil {
		return 0
	}
	req.Header.Set("Authorization", "Bearer "+ceilingToken)
	req.Header.Set("X-Lukasa-Tenant", hostileTenant)
	req.Header.Set("Content-Type", w.media)
	if w.coding != "" {
		req.Header.Set("Content-Encoding", w.coding)
	}
	res, err := c.Do(req)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
	return res.StatusCode
}

// weapons are large bodies, JSON bombs and compression bombs.
func weapons() []weapon {
	const size = 1 << 20
	const jsonType, linesType = "application/json", "application/x-ndjson"
	text := func(part string) string { return strings.Repeat(part, size/len(part)) }
	event := func(session int, content string) string {
		return fmt.Sprintf(`{"hmx_version":"HMX-1.0","event_id":"h-%d","event_type":"message","agent_id":"a","tenant_id":"hostile","session_id":"s-%d","timestamp":"2026-11-01T10:00:00Z","sequence":0,"content":{"role":"user","text":%s},"metadata":{}}`, session, session, content)
	}
	var many strings.Builder
	for i := range 1000 {
		many.WriteString(event(i, `"`+strings.Repeat("parcels are fragile ", 36)+`"`) + "\n")
	}
	packed := func(body string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = io.WriteString(z, body) // memory accepts everything
		_ = z.Close()
		return b.Bytes()
	}
	zeros := packed(strings.Repeat("0", 64*size))
	return []weapon{
		{"/v1/events", jsonType, "", []byte(event(0, `"`+text("a parcel ")+`"`))},
		{"/v1/pack", jsonType, "", []byte(`{"query":"` + text("which parcel ") + `"}`)},
		{"/v1/events", linesType, "", []byte(many.String())},
		{"/v1/memories", jsonType, "", []byte(`{"type":"fact","key":"k","text":"` + text("parcels ") + `"}`)},
		{"/mcp", jsonType, "", []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"remember","arguments":{"text":"` + text("parcel ") + `"}}}`)},
		{"/v1/events", linesType, "", []byte(text("a line without an end "))},
		{"/v1/events", jsonType, "", []byte(text("["))},
		{"/v1/pack", jsonType, "", []byte(`{"query":` + text(`{"a":`))},
		{"/v1/events", jsonType, "", []byte(event(1, "["+text("0,")+"0]"))},
		{"/v1/events", jsonType, "", []byte("[" + text("0,") + "0]")},
		{"/v1/search", jsonType, "", []byte(`{"query":"x","tags":[` + text(`"",`) + `""]}`)},
		{"/mcp", jsonType, "", []byte("[" + text("{},") + "{}]")},
		{"/v1/otlp/v1/traces", jsonType, "", []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[` + text("{},") + `{}]}]}]}`)},
		{"/v1/otlp/v1/traces", "application/x-protobuf", "", spansBomb(size)},
		{"/v1/events", jsonType, "gzip", zeros},
		{"/v1/events", linesType, "gzip", zeros},
		{"/v1/events", linesType, "gzip", packed(strings.Repeat(event(2, `"x"`)+"\n", 64*size/300))},
		{"/v1/events", jsonType, "gzip", packed("[" + strings.Repeat("0,", 7*size/2) + "0]")},
		{"/v1/events", jsonType, "zstd", zstdBomb(1 << 30)},
		{"/v1/events", linesType, "zstd", zstdBomb(1 << 30)},
		{"/v1/pack", jsonType, "zstd", zstdBomb(7 << 20)},
	}
}

// zstdBomb is a zstd frame of spaces: blocks of one byte repeated 128 KiB times, with the
// largest window that is allowed.
func zstdBomb(bytes int) []byte {
	const block = 128 << 10
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 13 << 3}
	for n := bytes / block; n > 0; n-- {
		header := 1<<1 | block<<3
		if n == 1 {
			header |= 1
		}
		frame = append(frame, byte(header), byte(header>>8), byte(header>>16), ' ')
	}
	return frame
}

// behave makes ordinary calls, one after the other, until ctx ends, and at least once. All of
// them must succeed. It returns how long each took.
func (s *attacked) behave(t *testing.T, ctx context.Context) (times []time.Duration) {
	t.Helper()
	c, err := client.New(s.url, client.Options{Token: ceilingToken, Tenant: goodTenant, Attempts: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	calls := []func(i int) error{
		func(i int) error { _, err := c.Append(t.Context(), event("good", i)); return err },
		func(int) error {
			_, err := c.Pack(t.Context(), &client.PackRequest{Query: "which parcel is fragile", Budget: 500})
			return err
		},
		func(i int) error {
			_, err := c.Remember(t.Context(), &client.Memory{Type: "fact", Key: fmt.Sprintf("parcel/%d", i), Text: "It is fragile."})
			return err
		},
		func(int) error { _, err := c.Root(t.Context()); return err },
	}
	for i := 0; i == 0 || ctx.Err() == nil; i++ {
		for k, call := range calls {
			start := time.Now()
			if err := call(i); err != nil {
				t.Errorf("call %d of the tenant that behaves: %v", 4*i+k, err)
			}
			times = append(times, time.Since(start))
		}
		pause(ctx, 5*time.Millisecond)
	}
	return times
}

// spansBomb is a request to export traces with as many empty spans as fit into size bytes.
func spansBomb(size int) []byte {
	within := func(tag byte, body []byte) []byte {
		return append(binary.AppendUvarint([]byte{tag}, uint64(len(body))), body...)
	}
	return within(0x0a, within(0x12, bytes.Repeat([]byte{0x12, 0x00}, size/2)))
}
