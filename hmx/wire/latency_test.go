package wire

import (
	"io"
	"testing"
)

// patient returns its pieces and must not be read further than needed: a live source would
// block there.
type patient struct {
	t      *testing.T
	pieces []string
}

func (p *patient) Read(b []byte) (int, error) {
	if len(p.pieces) == 0 {
		p.t.Error("read although what is there was enough")
		return 0, io.EOF
	}
	n := copy(b, p.pieces[0])
	p.pieces = p.pieces[1:]
	return n, nil
}

// A line or block is returned as soon as it is complete, without waiting for what follows.
func TestNothingIsHeldBack(t *testing.T) {
	r := NewReader(&patient{t, []string{"a\nb\n", "c", "\r\n"}}, Options{})
	for _, want := range []string{"a", "b", "c\r"} {
		if line, err := r.Next(); err != nil || string(line.Text) != want {
			t.Errorf("%q, %v", line.Text, err)
		}
	}
	d := NewDecoder(&patient{t, []string{"data: a\n\n", "data: b\r", "\r", "\ndata: c\r\n\r", "data: d\n\ndata: e\n\n"}}, Options{})
	for _, want := range []string{"a", "b", "c", "d", "e"} {
		if block, err := d.Next(); err != nil || string(block.Data) != want {
			t.Errorf("%q, %v", block.Data, err)
		}
	}
}

func TestErrorTexts(t *testing.T) {
	for _, row := range []struct {
		err  error
		want string
	}{
		{&LineError{7, 99, io.ErrNoProgress}, "line 7: multiple Read calls return no data or error"},
		{&ReadError{7, 99, io.ErrNoProgress}, "reading line 7: multiple Read calls return no data or error"},
		{&WriteError{io.ErrShortWrite}, "writing events: short write"},
		{&EncodeError{"a\nb", errNoEvent}, `event "a\nb": there is no event`},
		{&TooLongError{10, 8}, "10 bytes are too long: at most 8 are read"},
	} {
		if got := row.err.Error(); got != row.want {
			t.Errorf("%q, want %q", got, row.want)
		}
	}
}
