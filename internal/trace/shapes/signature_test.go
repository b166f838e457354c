package shapes

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSignatures(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"support", "Error: payment amount does not add up, total price is 375, but paid 299", "Error: payment amount does not add up, total price is <n>, but paid <n>"},
		{"support ids", "Error: flight HAT030 not available on date 2024-05-13", "Error: flight <id> not available on date <date>"},
		{"support names", "Error: payment method certificate_7504069 not found", "Error: payment method <id> not found"},
		{"go compile", "# lukasa.dev/x\n./read.go:12:3: undefined: foo\n./read.go:14:3: undefined: bar", "<path>: undefined: foo"},
		{"go test", "--- FAIL: TestRefund (0.00s)\n    refund_test.go:12: got 150.00, want 150.01\nFAIL\nexit status 1\nFAIL\tx\t0.01s", "--- FAIL: TestRefund (<n>)"},
		{"go panic", "panic: runtime error: index out of range [5] with length 3\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/x/main.go:8 +0x1d\nexit status 2",
			"panic: runtime error: index out of range [<n>] with length <n>"},
		{"python", "Traceback (most recent call last):\n  File \"/app/x.py\", line 3, in <module>\n    main()\n  File \"/app/x.py\", line 9, in main\n    d['a']\nKeyError: 'user_id'\n", "KeyError: <value>"},
		{"python chained", "Traceback (most recent call last):\n  File \"x.py\", line 1, in f\nValueError: invalid literal for int() with base 10: 'x1'\n\nDuring handling of the above exception, another exception occurred:\n\n" +
			"Traceback (most recent call last):\n  File \"y.py\", line 2\nsqlalchemy.exc.OperationalError: (sqlite3.OperationalError) no such table: users\n", "sqlalchemy.exc.OperationalError: (sqlite3.OperationalError) no such table: users"},
		{"python module", "ModuleNotFoundError: No module named 'requests'", "ModuleNotFoundError: No module named <value>"},
		{"rust compile", "error[E0308]: mismatched types\n --> src/main.rs:4:18\n  |\n4 |     let x: i32 = \"a\";\n  |                  ^^^ expected `i32`, found `&str`", "error[E0308]: mismatched types"},
		{"rust panic", "thread 'main' panicked at src/main.rs:4:5:\nindex out of bounds: the len is 3 but the index is 5\nnote: run with `RUST_BACKTRACE=1`",
			"thread <value> panicked at <path>: index out of bounds: the len is <n> but the index is <n>"},
		{"node", "/app/index.js:10\n  foo.bar.baz();\n      ^\n\nTypeError: Cannot read properties of undefined (reading 'bar')\n    at Object.<anonymous> (/app/index.js:10:7)\n    at node:internal/main/run_main_module:23:47",
			"TypeError: Cannot read properties of undefined (reading <value>)"},
		{"node errno", "Error: ENOENT: no such file or directory, open '/tmp/x.json'", "Error: ENOENT: no such file or directory, open <value>"},
		{"node refused", "Error: connect ECONNREFUSED 127.0.0.1:5432", "Error: connect ECONNREFUSED <addr>"},
		{"typescript", "src/app.ts(12,5): error TS2304: Cannot find name 'foo'.", "<path>(<n>): error TS2304: Cannot find name <value>"},
		{"npm", "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree\nnpm ERR! A complete log of this run can be found in: /root/.npm/_logs/x.log", "npm ERR! code ERESOLVE"},
		{"java", "Exception in thread \"main\" java.lang.NullPointerException: Cannot invoke \"String.length()\"\n\tat com.acme.Main.main(Main.java:5)",
			"Exception in thread <value> java.lang.NullPointerException: Cannot invoke <value>"},
		{"postgres", "ERROR:  duplicate key value violates unique constraint \"users_email_key\"\nDETAIL:  Key (email)=(mia@x.org) already exists.", "ERROR: duplicate key value violates unique constraint <value>"},
		{"mysql", "ERROR 1146 (42S02): Table 'shop.orders' doesn't exist", "ERROR 1146 (42S02): Table <value> doesn't exist"},
		{"oracle", "ORA-00942: table or view does not exist", "ORA-00942: table or view does not exist"},
		{"http", "HTTP 404: order 4711 not found", "HTTP 404: order <n> not found"},
		{"http words", "404 Client Error: Not Found for url: https://api.example.com/v1/orders/17", "404 Client Error: Not Found for url: <url>"},
		{"exit", "exit code 137", "exit code 137"},
		{"git", "fatal: not a git repository (or any of the parent directories): .git", "fatal: not a git repository (or any of the parent directories): .git"},
		{"git ref", "error: pathspec 'fix/x' did not match any file(s) known to git", "error: pathspec <value> did not match any file(s) known to git"},
		{"kubectl", "Error from server (NotFound): namespaces \"staging\" not found", "Error from server (NotFound): namespaces <value> not found"},
		{"times", "2026-11-02T09:00:00Z ERROR request 9f2c1ab7 timed out after 30s at 0x7ffe12", "<time> ERROR request <id> timed out after <n> at <addr>"},
		{"mail and paths", "cannot send /var/spool/m1 to mia@x.org", "cannot send <path> to <email>"},
		{"terms stay", "cannot decode utf8 as int64 on x86_64: read/write I/O", "cannot decode utf8 as int64 on x86_64: read/write I/O"},
		{"lists", "missing ids: 12, 15, 19 and 21", "missing ids: <n> and <n>"},
		{"colours", "\x1b[31mError:\x1b[0m bad \x1b[1mflag\x1b[0m", "Error: bad flag"},
		{"browser", "TimeoutError: Waiting for selector `#pay-now` failed: 30000ms exceeded", "TimeoutError: Waiting for selector <value> failed: <n> exceeded"},
		{"nothing", "  \n\n ---\n", ""},
	} {
		if got := Signature(c.text); got != c.want {
			t.Errorf("%s: the signature is\n%q, want\n%q", c.name, got, c.want)
		}
	}
}

// TestSignatureForgetsValues holds that errors which differ in values only have one
// signature.
func TestSignatureForgetsValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one := rapid.IntRange(0, 1_000_000)
		id := rapid.StringMatching(`[A-Z]{2,3}[0-9]{3,5}`)
		path := rapid.StringMatching(`/[a-z]{1,8}/[a-z]{1,8}\.go`)
		write := func() string {
			var b strings.Builder
			b.WriteString("Error: order ")
			b.WriteString(id.Draw(t, "id"))
			b.WriteString(" costs ")
			b.WriteString(strings.Repeat("9", 1+one.Draw(t, "n")%7))
			b.WriteString(" in ")
			b.WriteString(path.Draw(t, "path"))
			b.WriteString(" for '")
			b.WriteString(id.Draw(t, "quoted"))
			b.WriteString("'")
			return b.String()
		}
		a, b := write(), write()
		if Signature(a) != Signature(b) {
			t.Fatalf("%q is %q, and %q is %q", a, Signature(a), b, Signature(b))
		}
	})
}

// TestSignatureBounds holds that any text has a signature in one line and in bounds.
func TestSignatureBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text") + strings.Repeat(rapid.StringMatching(`[ -~\n]{0,40}`).Draw(t, "piece"), rapid.IntRange(0, 600).Draw(t, "times"))
		got := Signature(text)
		if len(got) > MaxError || strings.ContainsAny(got, "\r\n\x00\x1b") {
			t.Fatalf("the signature of %q is %q", text, got)
		}
	})
}
