package embed_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lukasa.dev/internal/embed"
	"lukasa.dev/internal/fault"
)

const secret = "sk-very-secret-0123456789"

// server implements the protocol. A text of n bytes has the vector n, 1, 0.5.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	requests [][]string
	// answer, if set, is called first with the number of the request, from 1, and reports
	// whether it has answered.
	answer func(w http.ResponseWriter, r *http.Request, n int, texts []string) bool
}

func serve(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, n int, texts []string) bool) *server {
	s := &server{answer: answer}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Model          string   `json:"model"`
			Input          []string `json:"input"`
			EncodingFormat string   `json:"encoding_format"`
		}
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(body, &q)
		}
		if err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/embeddings" || q.Model != "m" || q.EncodingFormat != "float" ||
			len(q.Input) == 0 || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Authorization") != "Bearer "+secret {
			t.Errorf("bad request: %s %s %v %s (%v)", r.Method, r.URL, r.Header, body, err)
		}
		s.mu.Lock()
		s.requests = append(s.requests, q.Input)
		n := len(s.requests)
		s.mu.Unlock()
		if s.answer == nil || !s.answer(w, r, n, q.Input) {
			good(w, q.Input)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// sent returns the number of texts of each request.
func (s *server) sent() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	var sizes []int
	for _, texts := range s.requests {
		sizes = append(sizes, len(texts))
	}
	return sizes
}

// good writes the right answer, last text first.
func good(w http.ResponseWriter, texts []string) {
	var data []string
	for i, text := range slices.Backward(texts) {
		data = append(data, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":[%d, 1, 5e-1]}`, i, len(text)))
	}
	fmt.Fprintf(w, `{"object":"list","model":"m","data":[%s],"usage":{"prompt_tokens":1}}`, strings.Join(data, ","))
}

// clock is a clock that only advances in Sleep.
type clock struct {
	mu     sync.Mutex
	now    time.Time
	sleeps []time.Duration
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.sleeps = append(c.sleeps, d)
	return ctx.Err()
}

func (c *clock) slept() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sleeps
}

// remote returns a Remote for the address, with its own clock.
func remote(t *testing.T, address string, change func(*embed.Options)) (*embed.Remote, *clock) {
	t.Helper()
	c := &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	o := embed.Options{BaseURL: address + "/v1/", Model: "m", Key: secret, MaxConcurrent: 1, Now: c.Now, Sleep: c.Sleep, Random: func() float64 { return 0 }}
	if change != nil {
		change(&o)
	}
	r, err := embed.NewRemote(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r, c
}

// check fails unless the results are the server's right answers, or errors where bad holds.
func check(t *testing.T, texts []string, results []embed.Result, bad func(string) bool) {
	t.Helper()
	if len(results) != len(texts) {
		t.Fatalf("%d results for %d texts", len(results), len(texts))
	}
	for i, result := range results {
		if bad != nil && bad(texts[i]) {
			if result.Vector != nil || !errors.Is(result.Err, fault.InvalidArgument) {
				t.Errorf("%q: %v, %v, want an error of its own", texts[i], result.Vector, result.Err)
			}
			continue
		}
		if want := []float32{float32(len(texts[i])), 1, 0.5}; !slices.Equal(result.Vector, want) || result.Err != nil {
			t.Errorf("%q: %v, %v, want %v", texts[i], result.Vector, result.Err, want)
		}
	}
}

// failsWith fails unless a text gives an error with that code and words, without the key.
func failsWith(t *testing.T, r *embed.Remote, code fault.Code, words string) {
	t.Helper()
	results, err := r.EmbedBatch(t.Context(), []string{"one"})
	if !errors.Is(err, code) || !strings.Contains(err.Error(), words) {
		t.Errorf("got %v (%s), want %s: %s", err, fault.CodeOf(err), code, words)
	}
	if len(results) != 1 || results[0].Vector != nil || results[0].Err == nil {
		t.Errorf("results are %v", results)
	}
	for ; err != nil; err = errors.Unwrap(err) {
		if strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, err), secret[:10]) { // nor a part of it
			t.Errorf("the key is in %v", err)
		}
	}
}

func TestEmbedBatch(t *testing.T) {
	s := serve(t, nil)
	r, _ := remote(t, s.URL, func(o *embed.Options) { o.Batch = 3; o.BatchBytes = 20 })
	if r.Name() != "m" || r.Dimensions() != 0 {
		t.Errorf("%s, %d", r.Name(), r.Dimensions())
	}
	texts := []string{"one", "two words", "é", "four", " \n", "a text that is longer than a batch may be", "x", "last"}
	results, err := r.EmbedBatch(t.Context(), texts)
	if err != nil {
		t.Error(err)
	}
	check(t, texts, results, func(text string) bool { return text == " \n" })
	if got := s.sent(); !slices.Equal(got, []int{3, 1, 1, 2}) {
		t.Errorf("requests of %v texts", got)
	}
	if r.Dimensions() != 3 {
		t.Errorf("%d dimensions", r.Dimensions())
	}
	if results, err := r.EmbedBatch(t.Context(), nil); len(results) != 0 || err != nil {
		t.Errorf("nothing gives %v, %v", results, err)
	}
}

func TestManyRequestsAtOnce(t *testing.T) {
	var mu sync.Mutex
	under, most := 0, 0
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, n int, texts []string) bool {
		mu.Lock()
		under++
		most = max(most, under)
		mu.Unlock()
		defer func() { mu.Lock(); under--; mu.Unlock() }()
		if n%5 == 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
		return false
	})
	r, _ := remote(t, s.URL, func(o *embed.Options) { o.Batch = 2; o.MaxConcurrent = 3; o.Retries = 9; o.Breaker.Failures = 100 })
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			var texts []string
			for i := range 15 {
				texts = append(texts, strings.Repeat("x", i+1))
			}
			results, err := r.EmbedBatch(t.Context(), texts)
			if err != nil {
				t.Error(err)
			}
			check(t, texts, results, nil)
		})
	}
	all.Wait()
	if most > 3 {
		t.Errorf("%d requests at once, want at most 3", most)
	}
}

func TestFailuresThatPass(t *testing.T) {
	for name, c := range map[string]struct {
		header string
		status int
		waits  []time.Duration
	}{
		"500":                  {"", 500, []time.Duration{250 * time.Millisecond, 500 * time.Millisecond}},
		"503":                  {"", 503, []time.Duration{250 * time.Millisecond, 500 * time.Millisecond}},
		"429":                  {"", 429, []time.Duration{250 * time.Millisecond, 500 * time.Millisecond}},
		"429 with seconds":     {"7", 429, []time.Duration{7 * time.Second, 7 * time.Second}},
		"429 with a past date": {"Fri, 02 Jan 2026 03:04:00 GMT", 429, []time.Duration{250 * time.Millisecond, 500 * time.Millisecond}},
		"503 with a date":      {"Fri, 02 Jan 2026 03:04:15 GMT", 503, []time.Duration{10 * time.Second, 500 * time.Millisecond}},
		"429 with anything":    {"soon", 429, []time.Duration{250 * time.Millisecond, 500 * time.Millisecond}},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request, n int, _ []string) bool {
				if n <= 2 {
					w.Header().Set("Retry-After", c.header)
					w.WriteHeader(c.status)
				}
				return n <= 2
			})
			r, clock := remote(t, s.URL, nil)
			results, err := r.EmbedBatch(t.Context(), []string{"one"})
			if err != nil {
				t.Fatal(err)
			}
			check(t, []string{"one"}, results, nil)
			if got := clock.slept(); !slices.Equal(got, c.waits) {
				t.Errorf("waited %v, want %v", got, c.waits)
			}
		})
	}
}

func TestWaitsAreBoundedAndScattered(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int, _ []string) bool { w.WriteHeader(503); return true })
	r, clock := remote(t, s.URL, func(o *embed.Options) {
		o.Retries, o.Breaker.Failures, o.Random = 7, 100, func() float64 { return 0.5 }
	})
	failsWith(t, r, fault.NoEmbedder, "503 Service Unavailable")
	want := []time.Duration{187500 * time.Microsecond, 375 * time.Millisecond, 750 * time.Millisecond, 1500 * time.Millisecond, 3 * time.Second, 6 * time.Second, 6 * time.Second}
	if got := clock.slept(); !slices.Equal(got, want) {
		t.Errorf("waited %v, want %v", got, want)
	}
}

// A server that requests a long wait is not called before.
func TestLongWaitIsNotWaited(t *testing.T) {
	for _, header := range []string{"31", "99999999999999999", "99999999999999999999", "Fri, 02 Jan 2026 04:00:00 GMT"} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int, _ []string) bool {
			w.Header().Set("Retry-After", header)
			w.WriteHeader(429)
			return true
		})
		r, clock := remote(t, s.URL, nil)
		failsWith(t, r, fault.NoEmbedder, "come back in more than 30s")
		if len(s.sent()) != 1 || len(clock.slept()) != 0 {
			t.Errorf("%s: %d requests, waited %v", header, len(s.sent()), clock.slept())
		}
	}
}

func TestFailuresThatStay(t *testing.T) {
	status := func(code int, body string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code); io.WriteString(w, body) }
	}
	text := func(body string) func(http.ResponseWriter, *http.Request) { return status(200, body) }
	for name, c := range map[string]struct {
		answer func(http.ResponseWriter, *http.Request)
		code   fault.Code
		words  string
	}{
		"wrong key":          {status(401, `{"error":{"message":"bad key `+secret[:10]+`"}}`), fault.NoEmbedder, "answered 401 Unauthorized"},
		"no such model":      {status(404, `{"error":{"message":"model \"m\" not found,\n try pulling it"}}`), fault.NoEmbedder, `answered 404 Not Found: model "m" not found, try pulling it`},
		"teapot":             {status(418, `{"error":"`+secret+` is tea"}`), fault.NoEmbedder, "[key] is tea"},
		"long words":         {status(418, `{"message":"`+strings.Repeat("é", 1000)+`"}`), fault.NoEmbedder, strings.Repeat("é", 100) + "…"},
		"refuses everything": {status(400, `{"error":"no dimensions"}`), fault.NoEmbedder, "answered 400 Bad Request: no dimensions"},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/v1/embeddings", http.StatusTemporaryRedirect)
		}, fault.NoEmbedder, "answered 307"},
		"HTML":               {text("<html>"), fault.NoEmbedder, "something else than embeddings: invalid character"},
		"empty":              {text(""), fault.NoEmbedder, "something else than embeddings"},
		"cut":                {text(`{"data":[{"index":0,"embedding":[1,2`), fault.NoEmbedder, "something else than embeddings"},
		"more after it":      {text(`{"data":[{"index":0,"embedding":[1,2]}]} {}`), fault.NoEmbedder, "something else than embeddings"},
		"another shape":      {text(`{"data":{"embedding":[1]}}`), fault.NoEmbedder, "something else than embeddings"},
		"none":               {text(`{"data":[]}`), fault.NoEmbedder, "0 vectors for 1 texts"},
		"error with 200":     {text(`{"code":20042,"message":"batch too large","data":null}`), fault.NoEmbedder, "0 vectors for 1 texts: batch too large"},
		"two":                {text(`{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1]}]}`), fault.NoEmbedder, "2 vectors for 1 texts"},
		"no index":           {text(`{"data":[{"embedding":[1,2]}]}`), fault.NoEmbedder, "without index"},
		"high index":         {text(`{"data":[{"index":1,"embedding":[1,2]}]}`), fault.NoEmbedder, "index 1 for 1 texts"},
		"negative index":     {text(`{"data":[{"index":-1,"embedding":[1,2]}]}`), fault.NoEmbedder, "index -1 for 1 texts"},
		"wrong dimensions":   {text(`{"data":[{"index":0,"embedding":[1,2]}]}`), fault.WrongDimensions, "a vector of 2 dimensions, must be 3"},
		"huge, as announced": {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "67108865") }, fault.NoEmbedder, "more than 64 MiB"},
		"huge":               {endless, fault.NoEmbedder, "more than 64 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int, _ []string) bool { c.answer(w, r); return true })
			r, clock := remote(t, s.URL, func(o *embed.Options) { o.Dimensions = 3 })
			failsWith(t, r, c.code, c.words)
			if n := len(s.sent()); n > 2 || len(clock.slept()) != 0 {
				t.Errorf("%d requests, waited %v", n, clock.slept())
			}
		})
	}
}

// endless writes until the client stops reading.
func endless(w http.ResponseWriter, _ *http.Request) {
	spaces := []byte(strings.Repeat(" ", 1<<20))
	for {
		if _, err := w.Write(spaces); err != nil {
			return
		}
	}
}

// An invalid vector does not affect the other texts.
func TestUnsoundVectors(t *testing.T) {
	for vector, words := range map[string]string{
		`["NaN",1,2]`:                            "a string instead of a number",
		`[null,1,2]`:                             "null instead of a number",
		`[1e39,1,2]`:                             "a number instead of a number within float32",
		`[[1,2,3]]`:                              "an array instead of a number",
		`[{},true,1]`:                            "an object instead of a number",
		`[1,2,false]`:                            "true or false instead of a number",
		`[0,-0.0,1e-60]`:                         "nothing but zeros",
		`[]`:                                     "an empty array",
		`[ ]`:                                    "an empty array",
		`null`:                                   "null instead of an array",
		`"AACAPw=="`:                             "a string instead of an array",
		`{"0":1}`:                                "an object instead of an array",
		`[1,2,3],"index":0,"x":"` + secret + `"`: "",
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int, _ []string) bool {
			fmt.Fprintf(w, `{"data":[{"index":1,"embedding":[3,1,0.5]},{"index":0,"embedding":%s}]}`, vector)
			return true
		})
		r, _ := remote(t, s.URL, nil)
		results, err := r.EmbedBatch(t.Context(), []string{"bad", "two"})
		if err != nil {
			t.Errorf("%s: %v", vector, err)
			continue
		}
		check(t, []string{"two"}, results[1:], nil)
		if words == "" {
			continue
		}
		if err := results[0].Err; !errors.Is(err, fault.InvalidArgument) || !strings.Contains(err.Error(), words) || results[0].Vector != nil {
			t.Errorf("%s: %v, want %q", vector, err, words)
		}
	}
}
