package cli

import (
	"encoding/json"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// embedder starts a server for embeddings, and sets a variable to its address:
// embedder NAME [KEY]. A text with the word poison is refused.
func embedder(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: embedder NAME [KEY]")
	}
	server := embedServer(append(args, "")[1])
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL+"/v1")
}

// embedServer starts a server for embeddings that wants to see a key, if there is one.
func embedServer(key string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Input []string }
		switch err := json.NewDecoder(r.Body).Decode(&q); {
		case key != "" && r.Header.Get("Authorization") != "Bearer "+key:
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		case err != nil || r.URL.Path != "/v1/embeddings":
			http.Error(w, "what?", http.StatusNotFound)
			return
		case strings.Contains(strings.Join(q.Input, " "), "poison"):
			http.Error(w, `{"error":{"message":"I do not read that"}}`, http.StatusBadRequest)
			return
		}
		var data []map[string]any
		for i, text := range q.Input {
			data = append(data, map[string]any{"index": i, "embedding": fakeVector(text)})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
	}))
}

// fakeVector is the sum of what the words of a text hash to. A quimby is a zorblax.
func fakeVector(text string) []float32 {
	v := make([]float32, 32)
	for _, word := range strings.Fields(strings.ToLower(text)) {
		word = strings.Trim(strings.ReplaceAll(word, "quimby", "zorblax"), ".,:")
		h := fnv.New64a()
		h.Write([]byte(word))
		random := rand.New(rand.NewPCG(h.Sum64(), 1))
		for i := range v {
			v[i] += float32(random.NormFloat64())
		}
	}
	return v
}
