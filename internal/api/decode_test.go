package api

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"lukasa.dev/internal/fault"
)

// The error for a bad request names the field, the rule and the fix.
func TestBadRequests(t *testing.T) {
	deep := strings.Repeat(`[`, 70) + strings.Repeat(`]`, 70)
	for _, x := range []struct {
		name, body string
		query      map[string][]string
		path       map[string]string
		field      string // prefix of the error
		fix        string // part of the advice
	}{
		{name: "pack", body: ``, field: "query: it is missing", fix: "a string"},
		{name: "pack", body: `{}`, field: "query: it is missing", fix: "the question"},
		{name: "pack", body: `[]`, field: "body: it is an array, but must be an object", fix: "an object"},
		{name: "pack", body: `{"query":1}`, field: "query: it is 1, but must be a string", fix: "a string"},
		{name: "pack", body: `{"query":null}`, field: "query: null is not a string", fix: "leave it out"},
		{name: "pack", body: `{"Query":"x"}`, field: "Query: there is no such field", fix: "write query"},
		{name: "pack", body: `{"query":"x","nonsense":1}`, field: "nonsense: there is no such field", fix: "strategy"},
		{name: "pack", body: `{"query":"x","a\nb":1}`, field: `"a\nb": there is no such field`},
		{name: "pack", body: `{"query":"x","query":"y"}`, field: "body/query: it has the name", fix: "each name once"},
		{name: "pack", body: `{"query":"x","priors":{"a":1,"a":2}}`, field: "body/priors/a"},
		{name: "pack", body: "{\"query\":\"\xff\"}", field: "body/query", fix: "UTF-8"},
		{name: "pack", body: `{"query":"x"} {}`, field: "body: it has"},
		{name: "pack", body: `{"query":"x"`, field: "body"},
		{name: "pack", body: `{"query":"x","tags":` + deep + `}`, field: "body/tags"},
		{name: "pack", body: `{"query":"x","strategy":"best"}`, field: "strategy: best is not one of ranked", fix: "one of them"},
		{name: "pack", body: `{"query":"x","budget":1.5}`, field: "budget: it is 1.5, but must be a whole number from 1 on"},
		{name: "pack", body: `{"query":"x","budget":0}`, field: "budget: 0 is not a whole number from 1 on"},
		{name: "pack", body: `{"query":"x","budget":99999999999999999999}`, field: "budget: it is 99999999999999999999"},
		{name: "pack", body: `{"query":"x","budget":"1"}`, field: "budget: it is a string, but must be a whole number"},
		{name: "pack", body: `{"query":"x","min_relevance":1.01}`, field: "min_relevance: 1.01 is not a number from 0 to 1"},
		{name: "pack", body: `{"query":"x","sections":["facts","rumours"]}`, field: "sections[1]: rumours is not one of core"},
		{name: "pack", body: `{"query":"x","sections":"facts"}`, field: "sections: it is a string, but must be an array"},
		{name: "pack", body: `{"query":"x","weights":{"relevance":"1"}}`, field: "weights.relevance: it is a string, but must be a number"},
		{name: "pack", body: `{"query":"x","priors":[]}`, field: "priors: it is an array, but must be an object"},
		{name: "pack", body: `{"query":"x","now":"today"}`, field: "now: today is not a time", fix: "RFC 3339"},
		{name: "pack", body: `{"query":"x","now":1}`, field: "now: it is 1, but must be a time"},
		{name: "find", body: `{"where":[{"field":"text","op":"~","value":"x"}]}`, field: "where[0].op: ~ is not one of =, !="},
		{name: "find", body: `{"where":[{"field":"text","op":"="}]}`, field: "where[0].value: it is missing"},
		{name: "find", body: `{"where":[{"Field":"text"}]}`, field: "where[0].Field: there is no such field", fix: "write field"},
		{name: "find", body: `{"kinds":["ghost"]}`, field: "kinds[0]: ghost is not one of event"},
		{name: "compile", body: `{"dry_run":"yes"}`, field: "dry_run: it is a string, but must be true or false"},
		{name: "remember", body: `{"text":"x","sources":["nowhere"]}`, field: "sources[0]:"},
		{name: "remember", body: `{"text":"x","if_version":-1}`, field: "if_version: -1 is not a whole number from 0 on"},
		{name: "remember", body: `{"text":"x","if_version":4294967296}`, field: "if_version: 4294967296 is not"},
		{name: "remember", body: `{"text":"x","frames":[{"verb":"eat","kind":"file","ref":"a"}]}`, field: "frames[0].verb: eat is not one of"},
		{name: "put_memory", body: `{"text":"x","key":"b"}`, path: map[string]string{"key": "a"}, field: "key: there is no such field"},
		{name: "put_memory", body: `{"text":"x"}`, field: "key: it is missing"},
		{name: "put_policy", body: ``, field: "policy: it is missing", fix: "a policy"},
		{name: "put_policy", body: `[]`, field: "policy: it is an array, but must be an object"},
		{name: "list_events", query: map[string][]string{"limit": {"10001"}}, field: "limit: 10001 is not a whole number from 1 to 10000"},
		{name: "list_events", query: map[string][]string{"limit": {"+1"}}, field: "limit: +1 is not"},
		{name: "list_events", query: map[string][]string{"limit": {""}}, field: `limit: "" is not`},
		{name: "list_events", query: map[string][]string{"limit": {"1", "2"}}, field: "limit: it is given 2 times", fix: "once"},
		{name: "list_events", query: map[string][]string{"Limit": {"1"}}, field: "Limit: there is no such parameter", fix: "write limit"},
		{name: "list_events", query: map[string][]string{"token": {"x"}}, field: "token: there is no such parameter", fix: "session"},
		{name: "root", query: map[string][]string{"x": {"1"}}, field: "x: there is no such parameter", fix: "there are none"},
		{name: "memory_history", field: "name: it is missing"},
		{name: "recall", path: map[string]string{"key": "a\xff"}, field: "key: it is not UTF-8"},
		{name: "recall", path: map[string]string{"key": "a"}, query: map[string][]string{"form": {"tiny"}}, field: "form: tiny is not one of"},
		{name: "list_artifacts", query: map[string][]string{"min_confidence": {"NaN"}}, field: "min_confidence: NaN is not a number from 0 to 1"},
		{name: "list_artifacts", query: map[string][]string{"all": {"1"}}, field: "all: 1 is not true or false"},
	} {
		o := Lookup(x.name)
		err := o.CheckQuery(x.query)
		if err == nil {
			_, err = o.Decode([]byte(x.body), from(x.path), func(name string) (string, bool) {
				v, ok := x.query[name]
				return strings.Join(v, ""), ok
			})
		}
		e := fault.From(err)
		switch {
		case err == nil:
			t.Errorf("%s %s %v: it is taken", x.name, x.body, x.query)
		case e.Code != fault.InvalidArgument || e.Fix == "":
			t.Errorf("%s %s: %s, fix %q: %v", x.name, x.body, e.Code, e.Fix, err)
		case !strings.HasPrefix(err.Error(), x.field) || !strings.Contains(e.Advice(), x.fix):
			t.Errorf("%s %s %v: %q, fix %q", x.name, x.body, x.query, err, e.Advice())
		}
	}
}

// Missing fields get their default, and given ones are read.
func TestDecode(t *testing.T) {
	in, err := Lookup("list_memories").Decode(nil, nil, from(map[string]string{"limit": "7", "state": "forgotten"}))
	if err != nil {
		t.Fatal(err)
	}
	if got := in.(*listIn); got.Limit != 7 || got.State != "forgotten" || got.Tag != "" {
		t.Errorf("%+v", got)
	}
	in, err = Lookup("pack").Decode([]byte(`{"query":"a\u0062","budget":1e2,"weights":{"recency":0.5}}`), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := in.(*packIn); got.Query != "ab" || got.Budget != 100 || got.Strategy != "ranked" || got.Weights["recency"] != 0.5 || got.MinRelevance != nil {
		t.Errorf("%+v", got)
	}
}

// Decode accepts what the schema accepts, apart from rules that only the value has, and never
// panics. It accepts its own output again.
func FuzzDecode(f *testing.F) {
	ops := Operations()
	for i, o := range ops {
		f.Add(i, asked[o.Name])
	}
	f.Add(0, `{"query":1}`)
	f.Add(7, `{"a":[{"b":null}]}`)
	f.Fuzz(func(t *testing.T, i int, args string) {
		o := ops[((i%len(ops))+len(ops))%len(ops)]
		in, err := o.DecodeArguments([]byte(args))
		if err != nil {
			if e := fault.From(err); e.Code != fault.InvalidArgument || e.Fix == "" || !json.Valid([]byte(`"`+strings.ReplaceAll(strings.ReplaceAll(e.Detail, `\`, `\\`), `"`, `\"`)+`"`)) {
				t.Fatalf("%s %q: %s: %q", o.Name, args, e.Code, e.Detail)
			}
			return
		}
		if args == "" {
			args = `{}`
		}
		holds(t, o.Name, inSchema(o), []byte(args))
		again, err := o.DecodeArguments([]byte(args))
		if err != nil || !reflect.DeepEqual(in, again) {
			t.Fatalf("%s %q: %+v, then %+v: %v", o.Name, args, in, again, err)
		}
	})
}
