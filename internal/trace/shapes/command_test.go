package shapes

import "testing"

func TestCommandShapes(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"git push origin fix/refund-rounding", "git push <remote> <branch>"},
		{"git commit -m 'Fix the rounding' --no-verify", "git commit -m <text> --no-verify"},
		{"go test ./billing/...", "go test <path>"},
		{"cd /repo && go vet ./... && go test -run TestX -count=1 ./...", "go vet <path> && go test -run <name> -count=<int> <path>"},
		{"cd /repo", "cd <path>"},
		{"kubectl apply -f staging.yaml", "kubectl apply -f <path>"},
		{"kubectl get pods -n staging", "kubectl get pods -n <word>"},
		{"npm run build", "npm run build"},
		{"docker compose up -d", "docker compose up -d"},
		{"python -m pytest tests/test_a.py tests/test_b.py -k name", "python -m pytest <path> -k <name>"},
		{"python3 scripts/migrate.py --dry-run", "python3 migrate.py --dry-run"},
		{"sudo -u postgres psql -c 'select 1'", "psql -c <text>"},
		{"FOO=1 BAR='x y' make test", "make test"},
		{"cat access.log | grep 500 | sort | uniq -c | head -n20", "cat <path> | grep | sort | uniq | head"},
		{"curl -s https://api.example.com/v1/orders/17 -H 'Authorization: Bearer x'", "curl -s <url> -H <text>"},
		{"bash -lc 'cd x && cargo test --release'", "cargo test --release"},
		{"timeout 30 ./run.sh 2>&1 > out.txt", "run.sh"},
		{"rm -rf build/ dist/ node_modules/", "rm -rf <path>"},
		{"mysql -h db -u root -psecret7 shop <<EOF\nselect 1;\nEOF", "mysql -h <word> -u <word> -psecret <word>"},
		{"echo done", "echo <word>"},
		{"grep -rn \"func \\\"x\" $(git ls-files)", "grep -rn <text>"},
		{"if true; then make build; fi", "make build"},
		{"", ""},
		{"&& | ;", ""},
		{"'unclosed", "unclosed"},
		{"\x01\x02 ls", "ls"},
		{"head -20 a.txt", "head <int> <path>"},
	} {
		if got := string(CommandShape(nil, c.line)); got != c.want {
			t.Errorf("%q has the shape %q, want %q", c.line, got, c.want)
		}
	}
}

func TestRoutes(t *testing.T) {
	for _, c := range []struct{ address, want string }{
		{"https://api.example.com/v1/orders/4711?status=open&page=2", "api.example.com/v1/orders/<int>?status&page"},
		{"https://user:secret@API.example.com:8443/users/mia_li_3668#top", "api.example.com:8443/users/<id>"},
		{"http://10.0.0.7/x", "<host>/x"},
		{"/users/019e5a3b-7c4d-7000-8000-000000000001/orders", "/users/<uuid>/orders"},
		{"https://x.org/a%20b/2024-05-20", "x.org/<text>/<date>"},
		{"", ""},
	} {
		if got := string(Route(nil, c.address)); got != c.want {
			t.Errorf("%q is %q, want %q", c.address, got, c.want)
		}
	}
}
