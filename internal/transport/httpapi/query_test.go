package httpapi

import (
	"net/http"
	"testing"

	"lukasa.dev/internal/fault"
)

// TestSecretInQuery refuses a credential in the query, however it is encoded, and accepts
// values that only resemble one.
func TestSecretInQuery(t *testing.T) {
	w := newWorld(t, nil)
	for _, query := range []string{
		"token=x", "TOKEN=x", "limit=1&token=x", "limit=1;token=x", "token", "token=&limit=1", "limit=1&limit=2&token=x", "token=a&token=b",
		"api_key=x", "api%5Fkey=x", "api%5fkey=x", "%61pi_key=x", "api%255Fkey=x", "%2561pi%255fkey=x", "api-key=x", "ApiKey=x", "x-api-key=x", "token%5B%5D=x", "token[]=x",
		"access_token=x", "access%2Dtoken=x", "%74%6f%6b%65%6e=x", "%zz&%74oken=x", "password=x", "client_secret=x",
		"name=lk_o_abc", "name=%6c%6b_o_abc", "name=%6ck%5fo_abc", "name=%256c%256b_o_abc", "name=LK_o_abc", "name=%20lk_a_abc", "name=+lk_a_abc", "name=%22lk_a_abc%22",
		"name=Bearer%20lk_t_abc", "name=bearer+lk_t_abc", "name=lukasa_scope_1.abc", "name=lukasa%5Fscope_1.abc", "lk_t_abc", "lk_t_abc=1",
		"limit=1%26token=x", "limit=1%3Btoken%3Dx", "name=https%3A%2F%2Fh%2F%3Ftoken%3Dx", "name=/cb?access_token=x",
	} {
		r := w.call("GET", "/v1/memories?"+query, "")
		if p := r.want(t, http.StatusUnauthorized, fault.Unauthenticated); p == nil || p.Fix == "" {
			t.Errorf("%s: %s", query, r.body)
		}
	}
	w.call("POST", "/v1/events", event(1)).good(t, nil)
	for _, query := range []string{
		"limit=1", "tag=token", "tag=tokens", "tag=secret", "tag=bearer", "tag=the+token+of+the+ring", "tag=100%25", "tag=%25%32", "tag=milk_o", "tag=a%3Db",
	} {
		if r := w.call("GET", "/v1/memories?"+query, ""); r.status != http.StatusOK {
			t.Errorf("%s: %d %s", query, r.status, r.body)
		}
	}
}
