package hmx

import (
	"strconv"

	"lukasa.dev/hmx/internal/jsonform"
)

var errNoEvent = &EncodeError{Rule: "HMX-E/2", Detail: "there is no event (nil)"}

// eventWriter writes the members of an event without reflection, because every event that
// leaves the engine passes through it. It keeps the first error.
type eventWriter struct {
	buf []byte
	err error
}

func (w *eventWriter) name(name string) {
	if w.buf[len(w.buf)-1] != '{' {
		w.buf = append(w.buf, ',')
	}
	w.buf = append(append(append(w.buf, '"'), name...), '"', ':')
}

// keep stores the result of writing a value of the member called name.
func (w *eventWriter) keep(name string, buf []byte, err error) {
	switch {
	case w.err != nil:
	case err != nil:
		w.err = jsonform.Within(name, err)
	default:
		w.buf = buf
	}
}

func (w *eventWriter) text(name, value string) {
	w.name(name)
	buf, err := jsonform.AppendText(w.buf, value)
	w.keep(name, buf, err)
}

func (w *eventWriter) optional(name string, value Opt[string]) {
	if value.Set {
		w.text(name, value.Value)
	}
}

func (w *eventWriter) raw(name string, value Raw) {
	w.name(name)
	buf, err := form.AppendRaw(w.buf, value)
	w.keep(name, buf, err)
}

func (w *eventWriter) integer(name string, value int64) {
	w.name(name)
	w.buf = strconv.AppendInt(w.buf, value, 10)
}

func (w *eventWriter) number(name string, value float64) {
	buf, err := jsonform.AppendNumber(w.buf, value)
	w.keep(name, buf, err)
}

func (w *eventWriter) numbers(name string, values []float64) {
	writeList(w, name, values, jsonform.AppendNumber)
}

func (w *eventWriter) texts(name string, values []string) {
	writeList(w, name, values, jsonform.AppendText)
}

// writeList writes the member called name as an array, unless it is nil.
func writeList[T any](w *eventWriter, name string, values []T, write func([]byte, T) ([]byte, error)) {
	if values == nil {
		return
	}
	w.name(name)
	w.buf = append(w.buf, '[')
	for i, v := range values {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		buf, err := write(w.buf, v)
		if err != nil {
			err = jsonform.Within(strconv.Itoa(i), err)
		}
		w.keep(name, buf, err)
	}
	w.buf = append(w.buf, ']')
}
