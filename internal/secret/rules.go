package secret

import "strings"

// rule finds a kind of secret: by one of its literals, and then by a closer look.
type rule struct {
	name, what string
	literals   []string
	fold       bool  // the literals ignore case; they are in lower case here
	then       class // what follows a literal of less than four bytes
	// match returns where the secret is, given where the literal begins and ends.
	match func(l *look, s string, at, end int) (from, to int, ok bool)
	// likely is a first look at JSON, in which the text may be escaped.
	likely func(s string, at, end int, then class) bool
}

// prefixed returns a rule for keys that begin with a literal and continue with least to most
// characters of a class, or any number if most is zero.
func prefixed(name, what string, of class, least, most int, prefixes ...string) *rule {
	return &rule{name: name, what: what, literals: prefixes, then: of, likely: atLeast(min(least, 8)), match: func(_ *look, s string, at, end int) (int, int, bool) {
		if !begins(s, at) {
			return 0, 0, false
		}
		look := longestLook
		if most > 0 {
			look = most + 2 // one too many, and the end of a sentence
		}
		to := of.upTo(s, end, look)
		if to-end < least || sample(strings.TrimSuffix(s[end:to], ".")) {
			return 0, 0, false
		}
		if most == 0 {
			to = of.run(s, to)
		}
		if least > 0 && of.has('.') && s[to-1] == '.' {
			to-- // the end of a sentence
		}
		if n := to - end; n < least || most > 0 && n > most {
			return 0, 0, false
		}
		return at, to, true
	}}
}

// begins reports whether a position is not in the middle of a word.
func begins(s string, at int) bool { return at == 0 || !wordly.has(s[at-1]) }

// sample reports whether a key is an example from a manual.
func sample(s string) bool { return !differs(s, 6) || strings.HasSuffix(s, "EXAMPLE") }

// rules are all rules, in the order in which they are tried at a position.
var rules = []*rule{
	prefixed("aws-access-key", "access key ids of Amazon Web Services", capitals, 16, 16, "AKIA", "ASIA", "ABIA", "ACCA"),
	prefixed("github-token", "tokens of GitHub", alnum, 36, 255, "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
	prefixed("github-token", "fine-grained tokens of GitHub", wordly, 60, 255, "github_pat_"),
	prefixed("gitlab-token", "tokens of GitLab", urlSafe|dot, 20, 300, "glpat-", "gldt-", "glrt-", "glptt-", "glsoat-", "glcbt-", "glft-", "glimt-", "glagent-", "gloas-"),
	prefixed("slack-token", "tokens of Slack", alnum|dash, 24, 300, "xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxe.", "xapp-"),
	prefixed("slack-webhook", "addresses of Slack's incoming webhooks", alnum|slash, 40, 100, "hooks.slack.com/services/", "hooks.slack.com/workflows/"),
	prefixed("discord-webhook", "addresses of Discord's webhooks", base64, 70, 120, "discord.com/api/webhooks/", "discordapp.com/api/webhooks/"),
	prefixed("stripe-key", "secret keys of Stripe", alnum, 16, 255, "sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_prod_", "rk_prod_", "whsec_"),
	prefixed("google-api-key", "API keys of Google", urlSafe, 35, 35, "AIza"),
	prefixed("google-oauth", "OAuth secrets and tokens of Google", urlSafe, 24, 0, "GOCSPX-", "ya29."),
	prefixed("anthropic-key", "keys of Anthropic", urlSafe, 24, 200, "sk-ant-"),
	{name: "openai-key", what: "keys of OpenAI, and of those who write theirs alike", literals: []string{"sk-"}, then: urlSafe, match: skKey, likely: atLeast(16)},
	prefixed("lukasa-key", "keys of Lukasa", wordly, 50, 70, "lk_o_", "lk_t_", "lk_a_"),
	prefixed("lukasa-scope", "scope tokens of Lukasa", urlSafe, 40, 0, "lukasa_scope_1."),
	prefixed("huggingface-token", "tokens of Hugging Face", alnum, 30, 60, "hf_"),
	prefixed("model-key", "keys of Groq, xAI, Replicate and Perplexity", alnum, 36, 100, "gsk_", "xai-", "r8_", "pplx-"),
	prefixed("npm-token", "tokens of npm", alnum, 36, 36, "npm_"),
	prefixed("pypi-token", "tokens of PyPI", urlSafe, 50, 0, "pypi-AgE"),
	prefixed("rubygems-key", "keys of RubyGems", hexa, 48, 48, "rubygems_"),
	prefixed("docker-token", "tokens of Docker Hub", urlSafe, 20, 100, "dckr_pat_", "dckr_oat_"),
	prefixed("digitalocean-token", "tokens of DigitalOcean", hexa, 64, 64, "dop_v1_", "doo_v1_", "dor_v1_"),
	prefixed("shopify-token", "tokens of Shopify", hexa|upperLetter, 32, 32, "shpat_", "shpca_", "shppa_", "shpss_"),
	prefixed("databricks-token", "tokens of Databricks", hexa, 32, 32, "dapi"),
	prefixed("vault-token", "tokens of HashiCorp Vault", urlSafe, 24, 300, "hvs.", "hvb.", "hvr."),
	prefixed("doppler-token", "tokens of Doppler", alnum|dot, 40, 80, "dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."),
	prefixed("linear-key", "keys of Linear", alnum, 32, 64, "lin_api_", "lin_oauth_"),
	prefixed("notion-token", "tokens of Notion", alnum, 40, 60, "ntn_"),
	prefixed("atlassian-token", "tokens of Atlassian", base64, 60, 300, "ATATT3", "ATCTT3", "ATBBT"),
	prefixed("postman-key", "keys of Postman", hexa|dash, 50, 70, "PMAK-"),
	prefixed("newrelic-key", "keys of New Relic", capitals, 24, 40, "NRAK-", "NRII-", "NRJS-"),
	prefixed("grafana-token", "tokens of Grafana", wordly, 32, 0, "glsa_", "glc_"),
	prefixed("sentry-token", "tokens of Sentry", base64|under, 40, 0, "sntrys_", "sntryu_"),
	prefixed("service-token", "tokens of Supabase, PlanetScale, Netlify, Heroku, Fly, Figma, Render and Dynatrace", base64|dot, 24, 0,
		"sbp_", "pscale_tkn_", "pscale_pw_", "pscale_oauth_", "nfp_", "HRKU-", "fm2_", "figd_", "rnd_", "dt0c01."),
	prefixed("square-token", "tokens of Square", urlSafe, 22, 60, "sq0atp-", "sq0csp-", "EAAAE"),
	prefixed("mailgun-key", "keys of Mailgun", hexa, 32, 32, "key-"),
	prefixed("age-key", "secret keys of age", capitals, 58, 58, "AGE-SECRET-KEY-1"),
	prefixed("twilio-key", "keys of Twilio", hexa, 32, 32, "SK"),
	{name: "sendgrid-key", what: "keys of SendGrid", literals: []string{"SG."}, then: urlSafe, match: sendgrid, likely: atLeast(22)},
	{name: "mailchimp-key", what: "keys of Mailchimp", literals: []string{"-us"}, then: digit, match: mailchimp, likely: always},
	{name: "telegram-token", what: "tokens of Telegram bots", literals: []string{":AA"}, then: urlSafe, match: telegram, likely: always},
	{name: "azure-key", what: "keys of Azure storage, buses and shared signatures", literals: []string{"accountkey=", "sharedaccesskey=", "sharedaccesssignature=", "&sig=", "?sig=", "u0026sig="}, fold: true, match: azureKey, likely: always},
	{name: "azure-secret", what: "client secrets of Azure", literals: []string{"7Q~", "8Q~"}, then: urlSafe | dot, match: azureSecret, likely: always},
	{name: "jwt", what: "JSON web tokens", literals: []string{"eyJ"}, then: urlSafe, match: jwt, likely: atLeast(13)},
	{name: "private-key", what: "private keys in PEM and PGP armour", literals: []string{"-----BEGIN "}, match: privateKey, likely: always},
	{name: "url-password", what: "passwords in URLs", literals: []string{"://"}, match: urlPassword, likely: likelyURL},
	{name: "url-password", what: "passwords in names of data sources, `user:…@tcp(host)`", literals: []string{"@tcp(", "@unix("}, match: dsnPassword, likely: always},
	{name: "authorization", what: "Authorization headers and bearer tokens", literals: []string{"authorization", "bearer"}, fold: true, match: authorization, likely: likelyHeader},
	{name: "password", what: "values of password=, passphrase: and the like", literals: []string{"password", "passwd", "passphrase", "passcode", "pwd", "pass"}, fold: true, match: assigned(passwordNames, longestPassword, isPassword), likely: likelyValue(passwordNames)},
	{name: "password", what: "passwords stated in words: the password is …", literals: []string{"password", "passwd", "passphrase", "passcode", "pwd"}, fold: true, match: told, likely: likelyTold},
	{name: "secret", what: "random values of secret=, api_key:, token= and the like", fold: true, match: assigned(secretNames, longestValue, isSecret), likely: likelyValue(secretNames),
		literals: []string{"secret", "token", "apikey", "api_key", "api-key", "accesskey", "access_key", "access-key", "privatekey", "private_key", "authkey", "auth_key", "credential", "signing_key", "signingkey", "encryption_key", "encryptionkey", "master_key", "masterkey"}},
}
