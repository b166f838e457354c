package httpapi

import (
	"bytes"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"lukasa.dev/internal/api"
)

// published is the document as a third party reads it.
var published = sync.OnceValues(func() (routers.Router, error) {
	doc, err := openapi3.NewLoader().LoadFromData(document(api.Operations(), "1"))
	if err != nil {
		return nil, err
	}
	openapi3filter.RegisterBodyDecoder(problemType, openapi3filter.JSONBodyDecoder)
	return legacy.NewRouter(doc)
})

// described fails if an answer does not match the document. It also checks valid requests.
func (w *world) described(r *http.Request, a *reply) {
	w.t.Helper()
	if r.Method == http.MethodHead || r.Method == http.MethodOptions || a.header.Get("Content-Encoding") != "" || a.status == 304 || a.status == 403 {
		return
	}
	router, err := published()
	if err != nil {
		w.t.Fatal(err)
	}
	ask := r.Clone(ctx)
	ask.URL.Host, ask.URL.Scheme, ask.Host = "", "", ""
	route, params, err := router.FindRoute(ask)
	if err != nil {
		if a.status < 400 && !strings.Contains(r.URL.Path, "/memories/") && r.URL.Path != "/mcp" && r.URL.Path != "/metrics" {
			w.t.Errorf("%s %s is not in the document: %v", r.Method, r.URL.Path, err)
		}
		return
	}
	in := &openapi3filter.RequestValidationInput{
		Request: ask, PathParams: params, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true},
	}
	if r.GetBody != nil && a.status < 300 && r.Header.Get("Content-Encoding") == "" && strings.HasPrefix(r.Header.Get("Content-Type"), mediaJSON) {
		if ask.Body, err = r.GetBody(); err != nil {
			w.t.Fatal(err)
		}
		if err := openapi3filter.ValidateRequest(ctx, in); err != nil {
			w.t.Errorf("%s %s: the request is not as the document says: %v", r.Method, r.URL.Path, err)
		}
	}
	if ct := a.header.Get("Content-Type"); ct != mediaJSON && ct != problemType {
		return
	}
	out := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: a.status, Header: a.header, Options: in.Options}
	out.SetBodyBytes([]byte(a.body))
	if err := openapi3filter.ValidateResponse(ctx, out); err != nil {
		w.t.Errorf("%s %s: the answer is not as the document says: %v\n%.2000s", r.Method, r.URL.Path, err, a.body)
	}
}

// TestOpenAPI publishes a document that third parties can read, with every operation in it.
func TestOpenAPI(t *testing.T) {
	w := newWorld(t, nil)
	r := w.call("GET", "/openapi.json", "", "Authorization", "", "Accept-Encoding", "identity")
	r.good(t, nil)
	doc, err := openapi3.NewLoader().LoadFromData([]byte(r.body))
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(ctx); err != nil {
		t.Fatal(err)
	}
	if doc.OpenAPI != "3.1.0" || doc.Info.Version != "1.2.3" {
		t.Errorf("%s, version %s", doc.OpenAPI, doc.Info.Version)
	}
	for _, op := range api.Operations() {
		item := doc.Paths.Value(pathOf(op))
		if item == nil || item.GetOperation(op.Method) == nil || item.GetOperation(op.Method).OperationID != op.Name {
			t.Errorf("%s is not in it", op.Name)
		}
	}
	if !bytes.Equal(w.s.OpenAPI(), document(api.Operations(), "1.2.3")) {
		t.Error("it is another one each time")
	}
	if w.call("GET", "/openapi.json", "", "If-None-Match", r.header.Get("ETag"), "Accept-Encoding", "identity").status != 304 {
		t.Error("it is sent again")
	}
}

// TestEveryStreamIsServed: each operation that the table leaves to transports has a handler.
func TestEveryStreamIsServed(t *testing.T) {
	w := newWorld(t, nil)
	for _, op := range api.Operations() {
		r, err := http.NewRequest(op.Method, w.url+strings.NewReplacer("{", "", "...}", "", "}", "").Replace(op.Path), nil)
		if err != nil {
			t.Fatal(err)
		}
		if !w.s.routes.has(r) {
			t.Errorf("%s %s is not served", op.Method, op.Path)
		}
	}
}
