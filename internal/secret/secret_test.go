package secret_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"lukasa.dev/internal/secret"
)

// Alphabets of generated keys.
const (
	lowers = "abcdefghijklmnopqrstuvwxyz"
	uppers = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
	hexes  = "0123456789abcdef"
	alnums = digits + lowers + uppers
	words  = alnums + "_"
	urls   = alnums + "_-"
)

// made returns n random-looking characters that are the same every time.
func made(alphabet string, n int, seed uint64) string {
	b := make([]byte, n)
	for i := range b {
		seed = seed*6364136223846793005 + 1442695040888963407
		b[i] = alphabet[(seed>>33)%uint64(len(alphabet))]
	}
	return string(b)
}

// secrets are texts with one secret each, the part between the bars, by rule.
func secrets() map[string][]string {
	a := func(n int) string { return made(alnums, n, uint64(n)+7) }
	h := func(n int) string { return made(hexes, n, uint64(n)+11) }
	u := func(n int) string { return strings.Trim(made(urls, n+20, uint64(n)+13), "-_")[:n-1] + "7" }
	c := func(n int) string { return made(uppers+digits, n, uint64(n)+17) }
	pem := "-----BEGIN RSA PRIVATE KEY-----\n" + a(64) + "\n" + a(64) + "\n-----END RSA PRIVATE KEY-----"
	token := "eyJ" + a(33) + ".eyJ" + a(60) + "." + u(43)
	return map[string][]string{
		"aws-access-key":  {"export AWS_ACCESS_KEY_ID=|AKIA" + c(16) + "|", "key |ASIA" + c(16) + "| is in the log"},
		"github-token":    {"git clone with |ghp_" + a(36) + "|", "GITHUB_TOKEN=|ghs_" + a(36) + "|", "|github_pat_" + a(22) + "_" + a(59) + "|"},
		"gitlab-token":    {"PRIVATE-TOKEN: |glpat-" + u(20) + "|", "|glrt-" + u(20) + "|."},
		"slack-token":     {"|xoxb-" + made(digits, 12, 1) + "-" + made(digits, 13, 2) + "-" + a(24) + "|", "|xapp-1-A0" + c(9) + "-" + made(digits, 13, 3) + "-" + h(64) + "|"},
		"slack-webhook":   {"post to https://|hooks.slack.com/services/T" + c(10) + "/B" + c(10) + "/" + a(24) + "|"},
		"discord-webhook": {"https://|discord.com/api/webhooks/" + made(digits, 18, 4) + "/" + u(68) + "|"},
		"stripe-key":      {"STRIPE=|sk_live_" + a(24) + "|", "|rk_test_" + a(99) + "|", "|whsec_" + a(32) + "|"},
		"google-api-key":  {"?key=|AIza" + u(35) + "|&x=1"},
		"google-oauth":    {"|GOCSPX-" + u(28) + "|", "|ya29." + u(80) + "|"},
		"anthropic-key":   {"ANTHROPIC_API_KEY=|sk-ant-api03-" + u(93) + "|", "|sk-ant-admin01-" + u(90) + "|"},
		"openai-key": {"OPENAI_API_KEY=\"|sk-" + a(48) + "|\"", "|sk-proj-" + u(120) + "|", "|sk-or-v1-" + h(64) + "|",
			"key |sk-abcdefghijklmnopqrstuvwxyz123456|.", "|sk-proj-abcdefghijklmnopqrstuvwxyz1234567890ABCD|", "|sk-1234567890abcdef1234567890abcdef|", "|sk-1234567890abcdef|", "|sk-abcdefghijklmnopqrstuvwxyz|", "|sk-svcacct-abc123def456ghi789|",
		},
		"lukasa-key":         {"Bearer |lk_t_" + made("0123456789abcdefghjkmnpqrstvwxyz", 10, 5) + "_" + a(49) + "|"},
		"lukasa-scope":       {"LUKASA_SCOPE=|lukasa_scope_1." + u(200) + "|"},
		"huggingface-token":  {"|hf_" + made(lowers+uppers, 34, 6) + "|"},
		"model-key":          {"|gsk_" + a(52) + "|", "|xai-" + a(80) + "|", "|r8_" + a(37) + "|", "|pplx-" + a(48) + "|"},
		"npm-token":          {"//registry.example.com/:_authToken=|npm_" + a(36) + "|"},
		"pypi-token":         {"|pypi-AgEIcHlwaS5vcmc" + u(150) + "|"},
		"rubygems-key":       {"|rubygems_" + h(48) + "|"},
		"docker-token":       {"docker login -p |dckr_pat_" + u(27) + "|"},
		"digitalocean-token": {"|dop_v1_" + h(64) + "|"},
		"shopify-token":      {"|shpat_" + h(32) + "|"},
		"databricks-token":   {"|dapi" + h(32) + "|"},
		"vault-token":        {"VAULT_TOKEN=|hvs." + u(95) + "|"},
		"doppler-token":      {"|dp.pt." + a(43) + "|"},
		"linear-key":         {"|lin_api_" + a(40) + "|"},
		"notion-token":       {"|ntn_" + a(46) + "|"},
		"atlassian-token":    {"|ATATT3" + u(180) + "=" + c(8) + "|"},
		"postman-key":        {"|PMAK-" + h(24) + "-" + h(34) + "|"},
		"newrelic-key":       {"|NRAK-" + c(27) + "|"},
		"grafana-token":      {"|glsa_" + a(32) + "_" + h(8) + "|", "|glc_" + a(60) + "|"},
		"sentry-token":       {"|sntrys_" + a(80) + "|"},
		"service-token":      {"|sbp_" + h(40) + "|", "|pscale_tkn_" + u(43) + "|", "|dt0c01." + c(24) + "." + c(64) + "|", "|nfp_" + a(36) + "|"},
		"square-token":       {"|sq0atp-" + u(22) + "|"},
		"mailgun-key":        {"|key-" + h(32) + "|"},
		"age-key":            {"|AGE-SECRET-KEY-1" + c(58) + "|"},
		"twilio-key":         {"|SK" + h(32) + "|"},
		"sendgrid-key":       {"|SG." + u(22) + "." + u(43) + "|"},
		"mailchimp-key":      {"|" + h(32) + "-us12|"},
		"telegram-token":     {"https://api.telegram.org/bot|" + made(digits, 10, 8) + ":AA" + u(33) + "|/getMe"},
		"azure-key":          {"DefaultEndpointsProtocol=https;AccountName=x;AccountKey=|" + a(86) + "==|;EndpointSuffix=core.windows.net", "https://x.blob.core.windows.net/c?sv=2022&sig=|" + a(43) + "%3D|&se=2026"},
		"azure-secret":       {"secret |" + a(3) + "8Q~" + u(34) + "|"},
		"jwt":                {"Authorization: Bearer |" + token + "|", "id_token=|" + token + "|"},
		"private-key":        {"|" + pem + "|", "|" + strings.ReplaceAll(pem, "RSA ", "") + "| and more", "|-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n" + a(60) + "\n-----END PGP PRIVATE KEY BLOCK-----|", "|-----BEGIN OPENSSH PRIVATE KEY-----\n" + a(70) + "|"},
		"url-password": {"postgres://app:|" + a(12) + "|@db.internal:5432/app", "redis://:|hunter2|@cache/0", "https://bot:|p%40ss|@git.example.com/x.git",
			"app:|hunter2|@tcp(127.0.0.1:3306)/shop?parseTime=true", "dsn=root:|s3cr:et|@unix(/run/mysql.sock)/shop", "mongodb+srv://app:|hunter2|@cluster0.example.net/shop", "amqp://guest:|guest1|@mq:5672/",
		},
		"authorization": {"Authorization: Basic |" + a(22) + "==|", "curl -H 'authorization: token |" + h(40) + "|'", "the header was Bearer |" + a(32) + "| there"},
		"password": {
			"password=|hunter2|", "DB_PASSWORD: |Tr0ub4dor&3|", `{"passwd": "|s3cr3t!|"}`, "mysql --password |k1tt3nz| -u root", `password: str = "|hunter2000|"`,
			"user;pwd=|qwerty123|;db", "PGPASSWORD='|correcthorse9|' psql", "smtp_pass=|" + a(14) + "|", `\"password\": \"|letme1n99|\"`, "passphrase => '|open5esame|'", "user.password := \"|Sommer2024!|\"",
			"my password is |hunter2|", "My password: |hunter2|", "The password was |hunter2|.", "the password is now |hunter2|, tell nobody", "Password is: |hunter2|", "password is `|hunter2|`", "the password for the staging database is |Tr0ub4dor&3|",
			"please set the password to |hunter2| today", "the new password will be |k1tt3nz|", "the password to the wifi is \"|letme1n99|\"", "passphrase is |open5esame|", "the passcode is |48a2913|", "the **password** is **|hunter2|**", "password on the router has been changed to |hunter2!x|",
			"the password is “|hunter2|”", "Server=db;User Id=sa;Password=|hunter2|;Encrypt=yes",
		},
		"secret": {
			"AWS_SECRET_ACCESS_KEY=|" + made(alnums+"/+", 40, 9) + "|", `client_secret: "|` + a(32) + `|"`, "api_key=|" + h(32) + "|&format=json", "X-Api-Key: |" + a(24) + "|",
			"curl 'https://x.example/api?access_token=|" + a(40) + "|'", "export SLACK_SIGNING_SECRET=|" + h(32) + "|", "--token |" + a(30) + "|", `apiKey: '|` + a(27) + `|',`,
			"DJANGO_SECRET_KEY = '|" + made(alnums+"!@#^*", 50, 10) + "|'", "encryption_key=|" + h(64) + "|", "refresh_token: |" + u(60) + "|",
		},
	}
}

// parts returns a text of secrets without its bars, and the secret in it.
func parts(t *testing.T, marked string) (before, secret, after string) {
	t.Helper()
	p := strings.Split(marked, "|")
	if len(p) != 3 {
		t.Fatalf("%q has %d bars", marked, len(p)-1)
	}
	return p[0], p[1], p[2]
}

// Every rule finds exactly its secret, in text, in a JSON string, in JSON within a string, and
// with other escapes.
func TestSecretsAreScrubbed(t *testing.T) {
	all := secrets()
	for _, r := range secret.Rules() {
		if len(all[r.Name]) == 0 {
			t.Errorf("there is no secret of the rule %s", r.Name)
		}
	}
	for rule, list := range all {
		if !slices.ContainsFunc(secret.Rules(), func(r secret.Rule) bool { return r.Name == rule }) {
			t.Errorf("there is no rule %s", rule)
		}
		for _, marked := range list {
			before, hidden, after := parts(t, marked)
			text, want := before+hidden+after, before+"[scrubbed:"+rule+"]"+after
			if got, n := secret.Text(text); got != want || n != 1 {
				t.Errorf("%s: %q\nis %q (%d)\nnot %q", rule, text, got, n, want)
			}
			if got, n := secret.Text("x\n" + text + "\ny " + text); n != 2 || strings.Contains(got, hidden) {
				t.Errorf("%s twice: %d in %q", rule, n, got)
			}
			for name, doc := range documents(t, text) {
				got, n := secret.JSON(doc)
				var decoded any
				if err := json.Unmarshal([]byte(got), &decoded); err != nil {
					t.Errorf("%s, %s: %q is no JSON: %v", rule, name, got, err)
				}
				if n == 0 || strings.Contains(fmt.Sprint(decoded), hidden) {
					t.Errorf("%s, %s: %d found in %s: %s", rule, name, n, doc, got)
				}
				if again, n := secret.JSON(got); again != got || n != 0 {
					t.Errorf("%s, %s: the second time gives %q", rule, name, again)
				}
			}
		}
	}
}

// documents returns JSON with a text in it, encoded in several ways.
func documents(t *testing.T, text string) map[string]string {
	t.Helper()
	quote := func(v any) string {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	escaped := &strings.Builder{}
	for _, r := range text {
		fmt.Fprintf(escaped, `\u%04x`, r)
	}
	return map[string]string{
		"a string":   quote(text),
		"a member":   `{"role":"user","content":` + quote(text) + `,"n":1}`,
		"a key":      `{"a":[{` + quote(text) + `:null}]}`,
		"a result":   `{"result":` + quote(quote(map[string]any{"stdout": text, "code": 0})) + `}`,
		"a line":     `{"out":` + quote("$ env\n"+text+"\ndone") + `}`,
		"escaped":    `["` + escaped.String() + `"]`,
		"slashes":    `{"url":` + strings.ReplaceAll(quote(text), "/", `\/`) + `}`,
		"after tabs": `{"x":` + quote("\t"+text+"\t") + ` , "y" : [ ] }`,
	}
}

// Members of objects are assignments as well.
func TestMembersAreAssignments(t *testing.T) {
	for _, c := range []struct{ doc, want string }{
		{`{"password":"hunter2"}`, `{"password":"[scrubbed:password]"}`},
		{`{"db":{"user":"app","Password" : "s3cret99"}}`, `{"db":{"user":"app","Password" : "[scrubbed:password]"}}`},
		{`{"api_keys":["` + made(alnums, 32, 1) + `","none"]}`, `{"api_keys":["[scrubbed:secret]","none"]}`},
		{`{"clientSecret":"` + made(alnums, 32, 2) + `"}`, `{"clientSecret":"[scrubbed:secret]"}`},
		{`{"Authorization":"` + made(alnums, 32, 3) + `"}`, `{"Authorization":"[scrubbed:authorization]"}`},
		{`{"password":"the one you use 4 mail"}`, `{"password":"the one you use 4 mail"}`},
		{`{"token":"` + made(digits, 20, 1) + `"}`, `{"token":"` + made(digits, 20, 1) + `"}`},
		{`{"next_token":"` + made(alnums, 32, 4) + `"}`, `{"next_token":"` + made(alnums, 32, 4) + `"}`},
		{`{"tokens":1234,"max_tokens":4096,"password":null,"secret":true,"pwd":{}}`, `{"tokens":1234,"max_tokens":4096,"password":null,"secret":true,"pwd":{}}`},
	} {
		if got, _ := secret.JSON(c.doc); got != c.want {
			t.Errorf("%s\nis %s\nnot %s", c.doc, got, c.want)
		}
	}
}

// Keys that become equal stay distinct, since a name occurs once in an object.
func TestKeysStayApart(t *testing.T) {
	one, two := "ghp_"+made(alnums, 36, 1), "ghp_"+made(alnums, 36, 2)
	doc := `{"` + one + `":1,"` + two + `":2,"[scrubbed:github-token]":3}`
	want := `{"[scrubbed:github-token]":1,"[scrubbed:github-token]#2":2,"[scrubbed:github-token]#3":3}`
	got, n := secret.JSON(doc)
	if got != want || n != 2 {
		t.Errorf("%s is %s (%d)", doc, got, n)
	}
	if again, n := secret.JSON(got); again != got || n != 0 {
		t.Errorf("the second time gives %s", again)
	}
}

// Members named by keep are not changed, and only in the outermost object.
func TestKeep(t *testing.T) {
	key := "ghp_" + made(alnums, 36, 1)
	doc := `{"id":"` + key + `","x":{"id":"` + key + `"},"list":["` + key + `"]}`
	want := `{"id":"` + key + `","x":{"id":"[scrubbed:github-token]"},"list":["` + key + `"]}`
	if got, n := secret.JSON(doc, "id", "list"); got != want || n != 1 {
		t.Errorf("%s is %s (%d)", doc, got, n)
	}
}

// Invalid JSON is not changed.
func TestNoJSON(t *testing.T) {
	key := "ghp_" + made(alnums, 36, 1)
	for _, doc := range []string{"", key, `"` + key, `{"a":"` + key + `"`, `["` + key + `"`, `{"` + key + `"}`, `{` + key, `"\x` + key + `"`, strings.Repeat("[", 2000) + `"` + key + `"`} {
		if got, n := secret.JSON(doc); got != doc || n != 0 {
			t.Errorf("%q is %q (%d)", doc, got, n)
		}
	}
}

// The page about security lists the rules, in their order, in the same words.
func TestDocumentListsTheRules(t *testing.T) {
	page, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, r := range secret.Rules() {
		i := strings.Index(string(page[at:]), "| `"+r.Name+"` |")
		if i < 0 {
			i = strings.Index(string(page), "| `"+r.Name+"` |")
			if i < 0 {
				t.Errorf("docs/security.md does not list %s", r.Name)
				continue
			}
			i -= at // another rule of the same name
		}
		line, _, _ := strings.Cut(string(page[at+i:]), "\n")
		if !strings.Contains(line, r.What) {
			t.Errorf("docs/security.md says %q, which lacks %q", line, r.What)
		}
		at += max(i, 0)
	}
}
