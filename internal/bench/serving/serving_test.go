package serving

import (
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// Everything is measured at a small size, the goals are judged by the results, and no files
// remain.
func TestRun(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	dir := t.TempDir()
	told := map[string]bool{}
	r, err := Run(t.Context(), Options{Dir: dir, Events: 330, Progress: func(what string, _, _ int) { told[what] = true }})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rates) != 3 || len(r.Waits) != 3 || len(r.Goals) != 3 || r.EventBytes < 100 || len(told) < 7 {
		t.Fatalf("%+v, %v", r, told)
	}
	for i, rate := range r.Rates {
		if rate.Name == "" || rate.What == "" || rate.Events == 0 || rate.Ours <= 0 || (rate.Beside != "") != (rate.Other > 0) || (rate.Other > 0) != (rate.Ratio > 0) {
			t.Errorf("%+v", rate)
		}
		if i < 2 && (r.Goals[i].Got != rate.Ratio || r.Goals[i].OK != (rate.Ratio >= r.Goals[i].Goal) || !r.Goals[i].Least) {
			t.Errorf("%+v of %+v", r.Goals[i], rate)
		}
	}
	for _, wait := range r.Waits {
		if wait.Name == "" || wait.Ours.Calls == 0 || wait.Ours.P50 <= 0 || wait.Other != nil && wait.Other.Calls != wait.Ours.Calls {
			t.Errorf("%+v", wait)
		}
	}
	if g := r.Goals[2]; g.Got != r.Waits[0].Adds || g.OK != (g.Got < g.Goal) {
		t.Errorf("%+v", g)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// Answers are read whole and in chunks; a failure is an error with its message.
func TestAnswers(t *testing.T) {
	for _, c := range []struct{ answer, want, problem string }{
		{"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello", ""},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n", "hello", ""},
		{"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "", ""},
		{"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy", "", "503 Service Unavailable: busy"},
		{"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", "", "EOF"},
		{"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "", "invalid"},
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, c.answer)
			_ = conn.(*net.TCPConn).CloseWrite()
			_, _ = io.Copy(io.Discard, conn)
			_ = conn.Close()
		}()
		w, err := dial("http://"+l.Addr().String(), "/", "x", sendsJSON)
		if err != nil {
			t.Fatal(err)
		}
		got, err := w.post([]byte("{}"))
		if string(got) != c.want || (err == nil) != (c.problem == "") || err != nil && !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%q: %q, %v", c.answer, got, err)
		}
		w.close()
		_ = l.Close()
	}
}
