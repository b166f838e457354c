package node

import (
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
)

// Print writes the configuration as a file that gives the same configuration, with the
// description and the source of each setting. Secrets are hidden.
func (e *Effective) Print(w io.Writer) error {
	var b strings.Builder
	v := reflect.ValueOf(&e.Config).Elem()
	for _, s := range Settings() {
		fmt.Fprintf(&b, "# %s\n", s.Doc)
		from := e.From[s.Name]
		if from == "" {
			from = "the default"
		}
		value := literal(v.Field(s.index))
		if s.Secret {
			fmt.Fprintf(&b, "# %s = %s # from %s\n\n", s.Name, value, from)
			continue
		}
		fmt.Fprintf(&b, "%s = %s # from %s\n\n", s.Name, value, from)
	}
	for i := range e.Brokers {
		b.WriteString("[[broker]]\n")
		v := reflect.ValueOf(&e.Brokers[i]).Elem()
		for j := range v.NumField() {
			if f := v.Type().Field(j); !v.Field(j).IsZero() {
				fmt.Fprintf(&b, "%s = %s\n", f.Tag.Get("toml"), literal(v.Field(j)))
			}
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, strings.TrimSuffix(b.String(), "\n"))
	return err
}

// literal returns a value as TOML.
func literal(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case []string:
		return list(x)
	case []Secret:
		texts := make([]string, len(x))
		for i := range x {
			texts[i] = x[i].String()
		}
		return list(texts)
	case bool, int, int64, float64:
		return fmt.Sprint(x)
	}
	return strconv.Quote(fmt.Sprint(v.Interface()))
}

func list(texts []string) string {
	quoted := make([]string, len(texts))
	for i, t := range texts {
		quoted[i] = strconv.Quote(t)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
