package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/operation"
)

// The name of a memory is accepted as name or as key, over HTTP and MCP, but not as both.
func TestMemoriesAreNamedByKey(t *testing.T) {
	var with []string
	for _, o := range Operations() {
		for _, f := range o.Fields() {
			if f.Also != "" {
				with = append(with, o.Name)
				t.Run(o.Name, func(t *testing.T) { namedByKey(t, o, f) })
			}
		}
	}
	want := []string{"forget", "memory_history", "neighbours", "prove_inclusion", "redact_memory", "resolve", "restore_memory"}
	if slices.Sort(with); !slices.Equal(with, want) {
		t.Errorf("they are named by key in %v, want %v", with, want)
	}
}

// namedByKey checks an operation for that.
func namedByKey(t *testing.T, o *operation.Operation, f *operation.Field) {
	value := `"release/cadence"`
	if f.Also == "keys" {
		value = `["release/cadence"]`
	}
	one := func(name string) string { return `{"` + name + `":` + value + `}` }
	both := `{"` + f.Name + `":` + value + `,"` + f.Also + `":` + value + `}`
	byName, err1 := bothWays(t, o, f, one(f.Name))
	byKey, err2 := bothWays(t, o, f, one(f.Also))
	if err := errors.Join(err1, err2); err != nil || !reflect.DeepEqual(byName, byKey) {
		t.Errorf("%+v by name, %+v by key, %v", byName, byKey, err)
	}
	if _, err := bothWays(t, o, f, both); !errors.Is(err, fault.InvalidArgument) || !strings.Contains(err.Error(), f.Name+", "+f.Also) {
		t.Errorf("with both: %v", err)
	}
	if _, err := bothWays(t, o, f, `{}`); f.Required == (err == nil) {
		t.Errorf("with none: %v", err)
	}
	holds(t, "by key", inSchema(o), []byte(one(f.Also)))
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(both)))
	if err != nil {
		t.Fatal(err)
	}
	if schema(t, inSchema(o)).Validate(document) == nil {
		t.Error("the schema takes both")
	}
}

// bothWays decodes a request of an operation as HTTP and as MCP deliver it.
func bothWays(t *testing.T, o *operation.Operation, f *operation.Field, members string) (any, error) {
	t.Helper()
	var body []byte
	query := map[string]string{}
	if f.Place == operation.InBody {
		body = []byte(members)
	} else if err := json.Unmarshal([]byte(members), &query); err != nil {
		t.Fatal(err)
	}
	given := map[string][]string{}
	for name, text := range query {
		given[name] = []string{text}
	}
	if err := o.CheckQuery(given); err != nil {
		t.Errorf("%s: %v", members, err)
	}
	in, err := o.DecodeArguments([]byte(members))
	same, other := o.Decode(body, nil, from(query))
	if err == nil && other == nil {
		if !reflect.DeepEqual(forget(in), forget(same)) {
			t.Errorf("%s: over MCP %+v, over HTTP %+v", members, in, same)
		}
	} else if err == nil || other == nil || err.Error() != other.Error() {
		t.Errorf("%s: over MCP %v, over HTTP %v", members, err, other)
	}
	return in, err
}
