package secret

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzText searches for text that is scrubbed differently the second time.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"", "password=hunter2", "a\x00b", "https://a:b@c", "Bearer abcdefABCDEF0123456789x", "token: x = \"0a1b2c3d4e5f6a7b8c9d\"", "-----BEGIN PRIVATE KEY-----\nAA", "db_pass='a1b2c3'&x=1"} {
		f.Add(seed)
	}
	for _, r := range rules {
		for _, l := range r.literals {
			f.Add(l + "aB3" + strings.Repeat("x9Yz", 20))
			f.Add("x=" + l + "='" + strings.Repeat("0a1B2c", 8) + "'")
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		clean, n := Text(s)
		if again, m := Text(clean); again != clean || m != 0 {
			t.Errorf("%q became %q (%d), which became %q (%d)", s, clean, n, again, m)
		}
		if n == 0 && clean != s {
			t.Errorf("%q became %q, and nothing was found", s, clean)
		}
		doc, err := json.Marshal(map[string]any{"password": s, "x": []string{s}, s: 1})
		if err != nil {
			t.Fatal(err)
		}
		checkJSON(t, string(doc))
	})
}

// FuzzJSON searches for JSON that does not stay JSON, or in which the first look misses a
// secret.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{}`, `{"password":"hunter2"}`, `["x", {"a":"\n\u2028ghp_0123456789abcdefABCDEF0123456789abcdefAB"}]`, `{"token" : [ "0a1b2c3d4e5f6a7b8c9d0e1f" ]}`, `"\ud800"`, `{"a":"https://u:\u4e2dx@h"}`, `"\next_token=0a1B2c3D4e5F6a7B8c9D"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		if json.Valid([]byte(doc)) {
			checkJSON(t, doc)
			return
		}
		JSON(doc) // must terminate
	})
}

// checkJSON checks the promises of the package on a document.
func checkJSON(t *testing.T, doc string) {
	t.Helper()
	w := walker{doc: doc}
	if !w.value("", 0) {
		t.Fatalf("%q cannot be gone over", doc)
	}
	if w.found > 0 && !suspect(doc) {
		t.Errorf("%q has %d secrets, and is not suspected", doc, w.found)
	}
	clean, n := JSON(doc)
	if !json.Valid([]byte(clean)) {
		t.Fatalf("%q became %q, which is no JSON", doc, clean)
	}
	if again, m := JSON(clean); again != clean || m != 0 {
		t.Errorf("%q became %q (%d), which became %q (%d)", doc, clean, n, again, m)
	}
	if n == 0 && clean != doc {
		t.Errorf("%q became %q, and nothing was found", doc, clean)
	}
}
