package node

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"lukasa.dev/internal/fault"
)

// env is an environment with these variables.
func env(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := vars[name]
		return value, ok
	}
}

// file writes a configuration file.
func file(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "lukasa.toml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// A flag overrides a variable, a variable the file, the file the default.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	name := file(t, `
listen = "127.0.0.1:1"
metrics = "127.0.0.1:1"
pprof = "127.0.0.1:1"
memory = "1GiB"
compile_quiet = "3s"
hosts = ["a", "b"]
`)
	e, err := Load(Sources{
		File:   name,
		Lookup: env(map[string]string{"LUKASA_LISTEN": "127.0.0.1:2", "LUKASA_METRICS": "127.0.0.1:2", "LUKASA_KEEP_SECRETS": "true", "LUKASA_ORIGINS": "https://a.example, https://b.example"}),
		Flags:  map[string]string{"listen": "127.0.0.1:3", "max_calls": "7", "requests_per_second": "1.5"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := Defaults()
	want.Listen, want.Metrics, want.Pprof = "127.0.0.1:3", "127.0.0.1:2", "127.0.0.1:1"
	want.Memory, want.CompileQuiet, want.Hosts = 1<<30, Duration(3*time.Second), []string{"a", "b"}
	want.KeepSecrets, want.Origins, want.MaxCalls, want.RequestsPerSecond = true, []string{"https://a.example", "https://b.example"}, 7, 1.5
	if !reflect.DeepEqual(e.Config, want) {
		t.Errorf("got  %+v\nwant %+v", e.Config, want)
	}
	for setting, from := range map[string]string{"listen": "--listen", "metrics": "LUKASA_METRICS", "pprof": name, "tools": ""} {
		if e.From[setting] != from {
			t.Errorf("%s comes from %q, want %q", setting, e.From[setting], from)
		}
	}
}

// Invalid settings are refused, with the name of the setting and the fix.
func TestRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file  string
		vars  map[string]string
		flags map[string]string
		want  []string // in the error and its advice
	}{
		"unknown key":       {file: `lissten = "x"`, want: []string{`no setting "lissten"`, `did you mean "listen"?`}},
		"unknown of broker": {file: "[[broker]]\nkind = \"nats\"\nurl = \"x\"", want: []string{`no setting "broker.url"`, `did you mean "urls"?`}},
		"nothing like it":   {file: `zzzzzzzzzzzzzz = 1`, want: []string{`no setting "zzzzzzzzzzzzzz"`, "remove it"}},
		"no TOML":           {file: "listen = ", want: []string{"line 1"}},
		"wrong type":        {file: "listen = 7", want: []string{"listen"}},
		"no duration":       {vars: map[string]string{"LUKASA_GRACE": "soon"}, want: []string{"LUKASA_GRACE", `"soon" is not a duration`}},
		"no size":           {flags: map[string]string{"memory": "lots"}, want: []string{"--memory", `"lots" is not a size`}},
		"no number":         {flags: map[string]string{"max_calls": "x"}, want: []string{"--max-calls", "whole number"}},
		"no switch":         {flags: map[string]string{"keep_secrets": "maybe"}, want: []string{"--keep-secrets", "neither true nor false"}},
		"little memory":     {flags: map[string]string{"memory": "1MiB"}, want: []string{"memory: 1MiB is too little", "at least 256MiB"}},
		"half of TLS":       {flags: map[string]string{"tls_cert": "a"}, want: []string{"tls_cert and tls_key"}},
		"tools":             {flags: map[string]string{"tools": "some"}, want: []string{"tools", "default, hooked, all"}},
		"short token":       {vars: map[string]string{"LUKASA_TOKEN": "hunter2"}, want: []string{"token: it has less than"}},
		"no calls":          {flags: map[string]string{"max_calls": "0"}, want: []string{"max_calls: 0 is too small"}},
		"broker kind":       {file: "[[broker]]\nkind = \"mqtt\"", want: []string{`broker 1: kind "mqtt"`}},
		"broker twice":      {file: "[[broker]]\nkind = \"nats\"\nurls = [\"nats://x\"]\nstream = \"s\"\n[[broker]]\nkind = \"nats\"\nurls = [\"nats://y\"]\nstream = \"s\"", want: []string{"broker 2: there is another one"}},
		"origin host":       {flags: map[string]string{"origins": "app.example.com"}, want: []string{"origins", `"app.example.com"`, "https://app.example.com"}},
		"origin any":        {file: `origins = ["https://a.example", "*"]`, want: []string{"origins", `"*"`}},
		"origin path":       {file: `origins = ["https://a.example/app"]`, want: []string{"origins", "/app"}},
		"broker stream":     {file: "[[broker]]\nkind = \"nats\"\nurls = [\"nats://x\"]", want: []string{"broker 1", "stream is empty"}},
		"broker trust":      {file: "[[broker]]\nkind = \"nats\"\nurls = [\"nats://x\"]\nstream = \"s\"\ntrust = \"boss\"", want: []string{"broker 1", `"boss" is no tier`}},
	} {
		t.Run(name, func(t *testing.T) {
			s := Sources{Lookup: env(c.vars), Flags: c.flags}
			if c.file != "" {
				s.File = file(t, c.file)
			}
			_, err := Load(s)
			if !errors.Is(err, fault.BadConfig) {
				t.Fatalf("the error is %v", err)
			}
			text := err.Error() + " — " + fault.From(err).Advice()
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("there is no %q in %s", want, text)
				}
			}
			if strings.Contains(text, "hunter2") {
				t.Error("a secret is told")
			}
		})
	}
	if _, err := Load(Sources{File: filepath.Join(t.TempDir(), "none.toml")}); !errors.Is(err, fault.BadConfig) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// The printed configuration is a file that gives the same configuration, without secrets.
func TestPrintGivesTheSameAgain(t *testing.T) {
	t.Parallel()
	name := file(t, `
listen = "127.0.0.1:1"
memory = "1GiB"
grace = "1m30s"
hosts = ["a", "quote \" here"]
requests_per_second = 2.5
max_records = -1
token = "correct horse battery staple"
[[broker]]
kind = "kafka"
urls = ["kafka.example:9092"]
topics = ["events"]
password = "hunter2"
`)
	e, err := Load(Sources{File: name})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := e.Print(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, secret := range []string{"correct horse", "hunter2", "kafka.example"} {
		if strings.Contains(text, secret) {
			t.Errorf("a secret is printed:\n%s", text)
		}
	}
	for _, s := range Settings() {
		if !strings.Contains(text, s.Name+" = ") || s.Doc == "" {
			t.Errorf("%s is not printed, or has no description", s.Name)
		}
	}
	again, err := Load(Sources{File: file(t, text)})
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	e.Token, e.Brokers, again.Brokers = "", nil, nil
	if got, want := fmt.Sprintf("%+v", again.Config), fmt.Sprintf("%+v", e.Config); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// docs/operations.md describes every setting.
func TestSettingsAreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	var missing []string
	for _, s := range Settings() {
		if !strings.Contains(string(page), "| `"+s.Name+"` |") {
			missing = append(missing, s.Name)
		}
	}
	for _, name := range names(reflect.TypeFor[Broker]()) {
		if !strings.Contains(string(page), "`"+name+"`") {
			missing = append(missing, "broker."+name)
		}
	}
	if len(missing) > 0 {
		t.Errorf("docs/operations.md does not describe %v", missing)
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Size{"0": 0, "17": 17, "512MiB": 512 << 20, "2GB": 2e9, "1 KiB": 1024, "3b": 3} {
		var s Size
		if err := s.UnmarshalText([]byte(text)); err != nil || s != want {
			t.Errorf("%q is %d, %v", text, s, err)
		}
		var again Size
		if err := again.UnmarshalText([]byte(s.String())); err != nil || again != s {
			t.Errorf("%q comes back as %d, %v", s, again, err)
		}
	}
	for _, text := range []string{"", "-1", "1.5GiB", "9999999999TiB", "MiB"} {
		var s Size
		if err := s.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is %d", text, s)
		}
	}
}
