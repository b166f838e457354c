package embed_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lukasa.dev/internal/embed"
	"lukasa.dev/internal/fault"
)

// A text that the server refuses is isolated and does not affect the others.
func TestRefusedTexts(t *testing.T) {
	bad := func(text string) bool { return strings.HasPrefix(text, "bad") }
	for _, status := range []int{400, 413, 422, 500} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int, texts []string) bool {
			if slices.ContainsFunc(texts, bad) {
				w.WriteHeader(status)
				fmt.Fprint(w, `{"error":{"message":"too long"}}`)
				return true
			}
			return false
		})
		r, _ := remote(t, s.URL, func(o *embed.Options) { o.Batch = 16 })
		var texts []string
		for i := range 40 {
			texts = append(texts, fmt.Sprint("text ", i))
		}
		texts[0], texts[13], texts[39] = "bad 0", "bad 13", "bad 39"
		results, err := r.EmbedBatch(t.Context(), texts)
		if err != nil {
			t.Errorf("%d: %v", status, err)
		}
		check(t, texts, results, bad)
		if err := results[13].Err; err == nil || !strings.Contains(err.Error(), "too long") {
			t.Errorf("%d: %v does not say why", status, err)
		}
		// Again with every text alone; their refusals must not open the breaker.
		r, _ = remote(t, s.URL, func(o *embed.Options) { o.Batch = 1 })
		texts = slices.Repeat([]string{"bad", "good"}, 10)
		if results, err = r.EmbedBatch(t.Context(), texts); err != nil {
			t.Errorf("%d: %v", status, err)
		}
		check(t, texts, results, bad)
	}
}

// A batch that is refused only for its size is sent in parts.
func TestBatchTooLarge(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int, texts []string) bool {
		if len(texts) > 10 {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
		}
		return len(texts) > 10
	})
	r, _ := remote(t, s.URL, nil)
	texts := slices.Repeat([]string{"x", "yy"}, 20)
	results, err := r.EmbedBatch(t.Context(), texts)
	if err != nil {
		t.Error(err)
	}
	check(t, texts, results, nil)
	if got := s.sent(); !slices.Equal(got, []int{40, 1, 20, 10, 10, 20, 10, 10}) {
		t.Errorf("requests of %v texts", got)
	}
}

// If the server goes away while a batch is split, its earlier answers are kept.
func TestServerGoesAwayWithinABatch(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, n int, texts []string) bool {
		switch {
		case n == 1:
			w.WriteHeader(http.StatusBadRequest)
		case n > 3:
			w.WriteHeader(http.StatusBadGateway)
		}
		return n == 1 || n > 3
	})
	r, _ := remote(t, s.URL, nil)
	texts := []string{"one", "two", "three", "four"}
	results, err := r.EmbedBatch(t.Context(), texts)
	if !errors.Is(err, fault.NoEmbedder) {
		t.Error(err)
	}
	check(t, texts[:2], results[:2], nil)
	for _, result := range results[2:] {
		if !errors.Is(result.Err, fault.NoEmbedder) || result.Vector != nil {
			t.Errorf("%v, %v", result.Vector, result.Err)
		}
	}
}

func TestOtherDimensionsThanBefore(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, n int, _ []string) bool {
		if n == 2 {
			fmt.Fprint(w, `{"data":[{"index":0,"embedding":[1,2,3,4]}]}`)
		}
		return n == 2
	})
	r, _ := remote(t, s.URL, nil)
	if _, err := r.EmbedBatch(t.Context(), []string{"one"}); err != nil {
		t.Fatal(err)
	}
	failsWith(t, r, fault.WrongDimensions, "a vector of 4 dimensions, must be 3")
	if _, err := r.EmbedBatch(t.Context(), []string{"one"}); err != nil || r.Dimensions() != 3 {
		t.Errorf("%v, %d dimensions", err, r.Dimensions())
	}
}

func TestShortenedVectors(t *testing.T) {
	for _, shorten := range []bool{false, true} {
		var asked map[string]any
		s := serve(t, nil)
		r, _ := remote(t, s.URL, func(o *embed.Options) {
			o.Dimensions, o.Shorten = 3, shorten
			o.HTTPClient = &http.Client{Transport: roundTripper(func(request *http.Request) (*http.Response, error) {
				body, err := request.GetBody()
				if err == nil {
					err = json.NewDecoder(body).Decode(&asked)
				}
				if err != nil {
					return nil, err
				}
				return http.DefaultTransport.RoundTrip(request)
			})}
		})
		if r.Dimensions() != 3 {
			t.Errorf("%d dimensions", r.Dimensions())
		}
		if _, err := r.EmbedBatch(t.Context(), []string{"one"}); err != nil {
			t.Fatal(err)
		}
		if d, ok := asked["dimensions"]; ok != shorten || ok && d != 3.0 {
			t.Errorf("asked %v", asked)
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestSlowServer(t *testing.T) {
	s := serve(t, func(_ http.ResponseWriter, r *http.Request, _ int, _ []string) bool {
		<-r.Context().Done()
		return true
	})
	r, _ := remote(t, s.URL, func(o *embed.Options) { o.Timeout = 5 * time.Millisecond; o.Retries = 1 })
	failsWith(t, r, fault.NoEmbedder, "did not answer within 5ms")
	if n := len(s.sent()); n > 2 {
		t.Errorf("%d requests", n)
	}
}

func TestServerThatIsGone(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + listener.Addr().String()
	listener.Close()
	r, clock := remote(t, address, nil)
	failsWith(t, r, fault.NoEmbedder, "cannot be reached")
	if n := len(clock.slept()); n != 3 {
		t.Errorf("waited %d times, want 3", n)
	}
}

// The key never appears, whatever error the transport returns.
func TestKeyIsNeverTold(t *testing.T) {
	r, _ := remote(t, "http://localhost", func(o *embed.Options) {
		o.Retries = -1
		o.HTTPClient = &http.Client{Transport: roundTripper(func(request *http.Request) (*http.Response, error) {
			return nil, fmt.Errorf("cannot send %v", request.Header)
		})}
	})
	failsWith(t, r, fault.NoEmbedder, "Bearer [key]")
	o := embed.Options{Key: secret}
	text, err := json.Marshal(struct{ Key embed.Key }{o.Key})
	if err != nil {
		t.Fatal(err)
	}
	all := fmt.Sprintf("%v %+v %#v %s %v %+v %#v %s", o, o, o, o.Key, r, r, r, text)
	if strings.Contains(all, secret) || strings.Contains(all, fmt.Sprintf("%x", secret)) {
		t.Errorf("the key is in %s", all)
	}
}

func TestBreaker(t *testing.T) {
	var up atomic.Bool
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int, _ []string) bool {
		if !up.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return !up.Load()
	})
	r, clock := remote(t, s.URL, func(o *embed.Options) { o.Retries = -1; o.Breaker = embed.Breaker{Failures: 3, Open: time.Minute} })
	requests := func(want int) {
		t.Helper()
		if got := len(s.sent()); got != want {
			t.Errorf("%d requests, want %d", got, want)
		}
	}
	works := func() {
		t.Helper()
		if _, err := r.EmbedBatch(t.Context(), []string{"one"}); err != nil {
			t.Error(err)
		}
	}
	failsWith(t, r, fault.NoEmbedder, "503")
	failsWith(t, r, fault.NoEmbedder, "503")
	up.Store(true)
	works() // resets the failures
	up.Store(false)
	for range 3 {
		failsWith(t, r, fault.NoEmbedder, "503")
	}
	requests(6)
	failsWith(t, r, fault.NoEmbedder, "is left alone")
	clock.Sleep(t.Context(), time.Minute-1)
	failsWith(t, r, fault.NoEmbedder, "is left alone")
	requests(6)
	clock.Sleep(t.Context(), 1)
	failsWith(t, r, fault.NoEmbedder, "503") // the one that decides
	failsWith(t, r, fault.NoEmbedder, "is left alone")
	requests(7)
	clock.Sleep(t.Context(), time.Minute)
	up.Store(true)
	works()
	works()
	requests(9)
}

// A server that refuses is one that works.
func TestBreakerAndRefusals(t *testing.T) {
	for _, status := range []int{400, 401, 404, 429} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int, _ []string) bool {
			w.WriteHeader(status)
			return true
		})
		r, _ := remote(t, s.URL, func(o *embed.Options) { o.Retries = -1; o.Breaker.Failures = 2 })
		for range 4 {
			failsWith(t, r, fault.NoEmbedder, fmt.Sprint("answered ", status))
		}
	}
}

// A server that fails on everything is detected, even though single texts could be the cause.
func TestBreakerAndBreakdowns(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int, _ []string) bool { w.WriteHeader(500); return true })
	r, _ := remote(t, s.URL, func(o *embed.Options) { o.Retries = 3 })
	results, err := r.EmbedBatch(t.Context(), []string{"one", "two"})
	if !errors.Is(err, fault.NoEmbedder) || results[1].Err == nil {
		t.Errorf("%v, %v", results, err)
	}
	if n := len(s.sent()); n != 5 { // four attempts and a harmless text
		t.Errorf("%d requests", n)
	}
	failsWith(t, r, fault.NoEmbedder, "answered 500")
	failsWith(t, r, fault.NoEmbedder, "is left alone")
}

// While the deciding request is running, no other is sent. If its caller gives up, another may
// decide.
func TestBreakerLetsOneThrough(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request, n int, _ []string) bool {
		switch n {
		case 1:
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		case 2:
			arrived <- struct{}{}
			<-r.Context().Done()
			return true
		case 3:
			arrived <- struct{}{}
			<-release
		}
		return false
	})
	r, clock := remote(t, s.URL, func(o *embed.Options) { o.Retries = -1; o.MaxConcurrent = 4; o.Breaker.Failures = 1 })
	failsWith(t, r, fault.NoEmbedder, "503")
	clock.Sleep(t.Context(), 30*time.Second)
	done := make(chan error)
	run := func(ctx context.Context) {
		_, err := r.EmbedBatch(ctx, []string{"one"})
		done <- err
	}
	ctx, cancel := context.WithCancel(t.Context())
	go run(ctx)
	<-arrived
	failsWith(t, r, fault.NoEmbedder, "is left alone")
	cancel()
	if err := <-done; !errors.Is(err, fault.Canceled) || !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	go run(t.Context())
	<-arrived
	failsWith(t, r, fault.NoEmbedder, "is left alone")
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := r.EmbedBatch(t.Context(), []string{"one"}); err != nil {
		t.Error(err)
	}
}

func TestCancel(t *testing.T) {
	arrived := make(chan struct{})
	s := serve(t, func(_ http.ResponseWriter, r *http.Request, _ int, _ []string) bool {
		arrived <- struct{}{}
		<-r.Context().Done()
		return true
	})
	r, _ := remote(t, s.URL, func(o *embed.Options) { o.Batch = 1 })
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	results, err := r.EmbedBatch(ctx, []string{"one", "two", "three"})
	if !errors.Is(err, fault.Canceled) || !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for _, result := range results {
		if !errors.Is(result.Err, fault.Canceled) {
			t.Error(result.Err)
		}
	}
	if n := len(s.sent()); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// A wait between attempts, and one for a slot, end with the context.
func TestCancelWhileWaiting(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int, _ []string) bool { w.WriteHeader(503); return true })
	ctx, cancel := context.WithCancel(t.Context())
	waiting := make(chan struct{})
	r, _ := remote(t, s.URL, func(o *embed.Options) {
		o.Sleep = func(ctx context.Context, _ time.Duration) error {
			close(waiting)
			<-ctx.Done()
			return ctx.Err()
		}
	})
	go func() { <-waiting; cancel() }()
	if _, err := r.EmbedBatch(ctx, []string{"one"}); !errors.Is(err, fault.Canceled) {
		t.Error(err)
	}
	if _, err := r.EmbedBatch(ctx, []string{"one"}); !errors.Is(err, fault.Canceled) {
		t.Error(err)
	}
	if n := len(s.sent()); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// The standard sleep ends with the context.
func TestStandardSleep(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, n int, _ []string) bool {
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(503)
		return true
	})
	r, err := embed.NewRemote(embed.Options{BaseURL: s.URL + "/v1", Model: "m", Key: secret})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := r.EmbedBatch(ctx, []string{"one"}); !errors.Is(err, fault.Canceled) || !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestOptions(t *testing.T) {
	_, err := embed.NewRemote(embed.Options{BaseURL: "localhost:11434", Key: "a\nb", Dimensions: -1, Batch: -1, BatchBytes: -1, MaxConcurrent: -1,
		Timeout: -1, Shorten: true, Breaker: embed.Breaker{Failures: -1, Open: -1}})
	if !errors.Is(err, fault.InvalidArgument) {
		t.Fatal(err)
	}
	for _, field := range []string{"BaseURL", "Model", "Key", "Dimensions", "Batch", "BatchBytes", "MaxConcurrent", "Timeout", "Breaker.Failures", "Breaker.Open"} {
		if !strings.Contains(err.Error(), " "+field+" must") {
			t.Errorf("%v does not name %s", err, field)
		}
	}
	for address, sound := range map[string]bool{
		"http://localhost:11434/v1": true, "https://api.openai.com/v1/": true, "": false, "ftp://x": false, "http://": false, "http://a:b@x/v1": false,
		"http://x/v1?key=1": false, "http://x/#f": false, "http://[": false,
	} {
		if _, err := embed.NewRemote(embed.Options{BaseURL: address, Model: "m"}); (err == nil) != sound {
			t.Errorf("%s: %v", address, err)
		}
	}
	if _, err := embed.NewRemote(embed.Options{BaseURL: "http://x", Model: "m", Shorten: true}); err == nil || !strings.Contains(err.Error(), "Shorten needs Dimensions") {
		t.Error(err)
	}
}
