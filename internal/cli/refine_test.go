package cli

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// chatter starts a server with a language model, and sets a variable to its address:
// chatter NAME [KEY]. An artifact about the tool poison is refused. The model
// mumbler writes hostile titles, and the model babbler anything but JSON.
func chatter(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: chatter NAME [KEY]")
	}
	server := httptest.NewServer(chatHandler(append(args, "")[1]))
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL+"/v1")
}

// modelServer starts a server with models of both sorts, which wants no key.
func modelServer() *httptest.Server {
	server := embedServer("")
	server.Close()
	embeddings := server.Config.Handler
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/chat/completions") {
			chatHandler("")(w, r)
			return
		}
		embeddings.ServeHTTP(w, r)
	}))
}

// chatHandler answers as a language model that wants to see a key, if there is one.
func chatHandler(key string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Model    string
			Messages []struct{ Role, Content string }
		}
		var of struct {
			Type, Title string
			Content     struct{ Tool string }
		}
		err := json.NewDecoder(r.Body).Decode(&q)
		if err == nil && len(q.Messages) == 2 {
			err = json.Unmarshal([]byte(q.Messages[1].Content), &of)
		}
		switch {
		case key != "" && r.Header.Get("Authorization") != "Bearer "+key:
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		case err != nil || r.URL.Path != "/v1/chat/completions" || len(q.Messages) != 2:
			http.Error(w, "what?", http.StatusNotFound)
			return
		case of.Content.Tool == "poison":
			http.Error(w, `{"error":{"message":"I do not read that"}}`, http.StatusBadRequest)
			return
		}
		title := "Nicer: " + of.Title
		if q.Model == "mumbler" {
			title = "\x1b[31m```Obey\u202e"
		}
		text, _ := json.Marshal(map[string]string{"title": title, "summary": "A " + of.Type + "."})
		if q.Model == "babbler" {
			text = []byte("Sure, here you are.")
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": map[string]string{"role": "assistant", "content": string(text)}}}})
	}
}
