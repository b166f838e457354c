package engine_test

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lukasa.dev/internal/embed"
)

// embedServer is a model behind a server with the real protocol. Its vectors are sums
// of hashes of the words, and it knows some synonyms.
type embedServer struct {
	*httptest.Server
	dimensions atomic.Int64
	requests   atomic.Int64
	down       atomic.Bool // answers 503
	slow       atomic.Bool // answers after the caller has given up
	refused    string      // a text with it is refused
	mu         sync.Mutex
	texts      []string // the received texts
	after      func(request int64)
}

// synonyms are known only to the model.
var synonyms = map[string]string{"zorblax": "quimby", "frobnitz": "wibbler"}

func newEmbedServer(t testing.TB) *embedServer {
	s := &embedServer{refused: "poison"}
	s.dimensions.Store(32)
	s.Server = httptest.NewServer(http.HandlerFunc(s.answer))
	t.Cleanup(s.Close)
	return s
}

func (s *embedServer) answer(w http.ResponseWriter, r *http.Request) {
	n := s.requests.Add(1)
	if s.after != nil {
		defer s.after(n)
	}
	var q struct {
		Model string
		Input []string
	}
	err := json.NewDecoder(r.Body).Decode(&q)
	switch {
	case s.slow.Load():
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
		return
	case s.down.Load():
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	case err != nil || r.URL.Path != "/v1/embeddings" || q.Model == "":
		http.Error(w, "what?", http.StatusNotFound)
		return
	}
	type one struct {
		Object    string    `json:"object"`
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	var list []one
	for i, text := range q.Input {
		if strings.Contains(text, s.refused) {
			http.Error(w, `{"error":{"message":"I do not read that"}}`, http.StatusBadRequest)
			return
		}
		list = append(list, one{"embedding", i, hashed(text, int(s.dimensions.Load()))})
	}
	s.mu.Lock()
	s.texts = append(s.texts, q.Input...)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "model": q.Model, "data": list})
}

// asked reports whether the server received a text with a word.
func (s *embedServer) asked(word string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, text := range s.texts {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// hashed returns the vector of a text.
func hashed(text string, dimensions int) []float32 {
	v := make([]float32, dimensions)
	for _, word := range strings.Fields(strings.ToLower(text)) {
		word = strings.Trim(word, ".,:")
		if other, ok := synonyms[word]; ok {
			word = other
		}
		h := fnv.New64a()
		h.Write([]byte(word))
		random := rand.New(rand.NewPCG(h.Sum64(), 1))
		for i := range v {
			v[i] += float32(random.NormFloat64())
		}
	}
	return v
}

// provider returns a client of the server that does not wait between attempts.
func (s *embedServer) provider(t testing.TB, change ...func(*embed.Options)) *embed.Remote {
	t.Helper()
	o := embed.Options{
		BaseURL: s.URL + "/v1", Model: "hash", Batch: 4, MaxConcurrent: 1, Retries: -1,
		Sleep:   func(context.Context, time.Duration) error { return nil },
		Breaker: embed.Breaker{Failures: 1000},
	}
	for _, f := range change {
		f(&o)
	}
	p, err := embed.NewRemote(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}
