package node

import (
	"encoding"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/transport/mcpapi"
)

// Sources are the sources of a configuration.
type Sources struct {
	// File is the name of a configuration file, or empty.
	File string
	// Lookup looks up an environment variable. Nil is an empty environment.
	Lookup func(string) (string, bool)
	// Flags are the given flags, by the name of the setting.
	Flags map[string]string
}

// envPrefix is the prefix of the variable of each setting.
const envPrefix = "LUKASA_"

// Setting is one field of [Config] that is not a list of tables.
type Setting struct {
	// Name is its name in the file.
	Name string
	// Doc describes it.
	Doc string
	// Secret says that its value is not shown, and that it has no flag: other users can read
	// the arguments of a process.
	Secret bool
	// Switch says that it is boolean.
	Switch bool
	// Default is its default value.
	Default string
	index   int
}

// Env is the variable that sets it.
func (s Setting) Env() string { return envPrefix + strings.ToUpper(s.Name) }

// Flag is the flag that sets it, without hyphens before it, or empty for a secret.
func (s Setting) Flag() string {
	if s.Secret {
		return ""
	}
	return strings.ReplaceAll(s.Name, "_", "-")
}

// Settings returns all settings except brokers, in the order of [Config].
func Settings() []Setting {
	var list []Setting
	usual := Defaults()
	t, v := reflect.TypeFor[Config](), reflect.ValueOf(&usual).Elem()
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type == reflect.TypeFor[[]Broker]() {
			continue
		}
		list = append(list, Setting{
			Name: f.Tag.Get("toml"), Doc: f.Tag.Get("doc"), Secret: f.Type == reflect.TypeFor[Secret](), Switch: f.Type.Kind() == reflect.Bool,
			Default: format(v.Field(i)), index: i,
		})
	}
	return list
}

// Effective is a configuration and the source of each setting.
type Effective struct {
	Config
	// From names the source of each setting that is not the default.
	From map[string]string
}

// Load reads a configuration and checks it. Errors have the code [fault.BadConfig] and name the
// setting, its source, and the fix.
func Load(s Sources) (*Effective, error) {
	e := &Effective{Config: Defaults(), From: map[string]string{}}
	if s.File != "" {
		if err := e.readFile(s.File); err != nil {
			return nil, err
		}
	}
	v := reflect.ValueOf(&e.Config).Elem()
	for _, set := range Settings() {
		if s.Lookup != nil {
			if text, ok := s.Lookup(set.Env()); ok && text != "" {
				if err := e.set(v.Field(set.index), set, text, set.Env()); err != nil {
					return nil, err
				}
			}
		}
		if text, ok := s.Flags[set.Name]; ok {
			if err := e.set(v.Field(set.index), set, text, "--"+set.Flag()); err != nil {
				return nil, err
			}
		}
	}
	return e, e.Check()
}

// readFile reads a file.
func (e *Effective) readFile(name string) error {
	text, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.Newf(fault.BadConfig, "there is no configuration file %q", name).WithCause(err).WithFix("check the path, or leave it out")
	case err != nil:
		return fault.Newf(fault.BadConfig, "cannot read the configuration file: %w", err).WithFix("make it a file that the server may read")
	}
	md, err := toml.Decode(string(text), &e.Config)
	if err != nil {
		var bad toml.ParseError
		if errors.As(err, &bad) {
			return fault.Newf(fault.BadConfig, "%s, line %d: %s", name, bad.Position.Line, bad.Message).WithCause(err).WithFix("correct the line; docs/operations.md has an example")
		}
		return fault.Newf(fault.BadConfig, "%s: %w", name, err).WithFix("correct the value; docs/operations.md lists all settings")
	}
	if unknown := md.Undecoded(); len(unknown) > 0 {
		return unknownKey(name, unknown[0])
	}
	for _, key := range md.Keys() {
		e.From[key[0]] = name
	}
	return nil
}

// unknownKey is the error for an unknown setting.
func unknownKey(file string, key toml.Key) error {
	known := names(reflect.TypeFor[Config]())
	if key[0] == "broker" && len(key) > 1 {
		known = names(reflect.TypeFor[Broker]())
	}
	bad := fault.Newf(fault.BadConfig, "%s: there is no setting %q", file, key.String())
	if near := nearest(key[len(key)-1], known); near != "" {
		return bad.WithFix(fmt.Sprintf("did you mean %q? `lukasa serve --print-config` lists all", near))
	}
	return bad.WithFix("remove it; `lukasa serve --print-config` lists all settings")
}

// names returns the names of a struct's fields in a file.
func names(t reflect.Type) []string {
	var list []string
	for i := range t.NumField() {
		list = append(list, t.Field(i).Tag.Get("toml"))
	}
	return list
}

// set sets a setting.
func (e *Effective) set(v reflect.Value, s Setting, text, from string) error {
	if err := parse(v, text); err != nil {
		if s.Secret {
			err = errors.New("its value cannot be read") // without the value
		}
		return fault.Newf(fault.BadConfig, "%s: %v", from, err).WithFix(s.Name + ": " + s.Doc)
	}
	e.From[s.Name] = from
	return nil
}

// parse parses a text into a field.
func parse(v reflect.Value, text string) error {
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return u.UnmarshalText([]byte(text))
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", text)
		}
		v.SetBool(b)
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return fmt.Errorf("%q is not a whole number", text)
		}
		v.SetInt(n)
	case reflect.Float64:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("%q is not a number", text)
		}
		v.SetFloat(n)
	case reflect.Slice:
		var list []string
		for part := range strings.SplitSeq(text, ",") {
			if part = strings.TrimSpace(part); part != "" {
				list = append(list, part)
			}
		}
		v.Set(reflect.ValueOf(list))
	}
	return nil
}

// format formats a field as parse reads it.
func format(v reflect.Value) string {
	if list, ok := v.Interface().([]string); ok {
		return strings.Join(list, ",")
	}
	return fmt.Sprint(v.Interface())
}

// Check refuses an invalid configuration.
func (c *Config) Check() error {
	oneOf := func(name, value string, allowed ...string) error {
		if slices.Contains(allowed, value) {
			return nil
		}
		return fault.Newf(fault.BadConfig, "%s: %q is not one of %s", name, value, strings.Join(allowed, ", ")).WithFix("use one of these")
	}
	problems := []error{
		oneOf("tools", c.Tools, mcpapi.Sets()...),
		oneOf("log_level", c.LogLevel, "debug", "info", "warn", "error"),
		oneOf("log_format", c.LogFormat, "auto", "text", "json"),
	}
	if c.Listen == "" {
		problems = append(problems, fault.New(fault.BadConfig, "listen: it is empty").WithFix("give an address such as 127.0.0.1:8373"))
	}
	if (c.TLSCert == "") != (c.TLSKey == "") {
		problems = append(problems, fault.New(fault.BadConfig, "tls_cert and tls_key: one is set without the other").WithFix("set both, or neither"))
	}
	for _, o := range c.Origins {
		problems = append(problems, checkOrigin(o))
	}
	if c.Memory != 0 && c.Memory < leastMemory {
		problems = append(problems, fault.Newf(fault.BadConfig, "memory: %v is too little", c.Memory).WithFix("give at least "+Size(leastMemory).String()))
	}
	for _, least := range []struct {
		name        string
		value, from int64
	}{
		{"compile_events", int64(c.CompileEvents), 0}, {"max_calls", int64(c.MaxCalls), 2}, {"max_streams", int64(c.MaxStreams), 2}, {"max_body", int64(c.MaxBody), 1 << 10},
	} {
		if least.value < least.from {
			problems = append(problems, fault.Newf(fault.BadConfig, "%s: %d is too small", least.name, least.value).WithFix(fmt.Sprintf("give at least %d, or leave it out", least.from)))
		}
	}
	if c.Token != "" && len(c.Token) < leastToken {
		problems = append(problems, fault.Newf(fault.BadConfig, "token: it has less than %d characters", leastToken).WithFix("make one with `openssl rand -hex 32`, or leave it out to have one made"))
	}
	seen := map[string]bool{}
	for i := range c.Brokers {
		problems = append(problems, c.Brokers[i].check(i, seen))
	}
	for _, err := range problems {
		if err != nil {
			return err
		}
	}
	return nil
}

// checkOrigin refuses a text that no browser sends as an origin, since no call would ever match
// it.
func checkOrigin(origin string) error {
	u, err := url.Parse(origin)
	if err == nil && u.Scheme != "" && u.Host != "" && strings.EqualFold(u.Scheme+"://"+u.Host, strings.TrimSuffix(origin, "/")) {
		return nil
	}
	return fault.Newf(fault.BadConfig, "origins: %q is not the origin of a web page", origin).
		WithFix("give scheme and host, and the port if it is another than usual, such as https://app.example.com")
}

// leastToken is the minimum length of a token.
const leastToken = 16

// nearest returns the name most similar to a mistyped one, or nothing.
func nearest(got string, names []string) string {
	best, least := "", len(got)/3+2
	for _, name := range names {
		if d := distance(strings.ToLower(got), name); d < least {
			best, least = name, d
		}
	}
	return best
}

// distance returns the Levenshtein distance of two words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := last
			if a[i] != b[j] {
				cost++
			}
			last, row[j+1] = row[j+1], min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
