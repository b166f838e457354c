package secret_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"lukasa.dev/internal/secret"
)

// harmless are texts that resemble secrets.
const harmless = `
password
the password is wrong
Password: required
password: incorrect
password:
password=
password = None
password = ""
password: ********
password=$DB_PASSWORD
password: ${DB_PASSWORD}
password: {{ vault.db.password }}
password: <your password>
password=changeme1
password = getpass.getpass()
password = os.environ["DB_PASSWORD"]
password=process.env.DB_PASSWORD2
"password": "Please enter your password 2 times"
enter password: 3 tries left
password_hash_rounds=12
password must have 8 characters, 1 digit and 1 mark
password reset mail was sent at 10:32:11
password policy: min8chars is not enforced
password-length: 12
passwords.txt
the password is sha256 hashed
the password is base64 encoded
password is argon2id now
migrate the password to bcrypt12
the password is 12-digit or longer
the password is 2factor only
the password is user.password1
the password is v1.2.3 of the form
the password is at https://vault.example.com/x1
the password is in /etc/secret1
the password is $DB_PASSWORD1
the password is <password1>
the password is 'your-password1'
the password is stored in table users2
the password for user2 is wrong
the password field of form2 is red
the password component in login is LoginForm2
the password is not abc123 any more
the password. Is build123 done?
the password, the code is abc123
a password is what user1234 needs to know
the password to the vault is in the runbook2
password is type=password1
password to 550e8400-e29b-41d4-a716-446655440000
the password was changed on 2026-11-16 at 10h30m12s
password was rejected by host-12ab
passwordless login is v2ready
the password "pwd" to connect to localhost:4222
app:${PASS1}@tcp(127.0.0.1:3306)/shop
app@tcp(127.0.0.1:3306)/shop
:secret1@tcp(127.0.0.1:3306)/shop
sk-learn-contrib-2024-release
sk-estimator12-of-the-pipeline
sk-EXAMPLE
PASS: TestScrub2 (0.01s)
--- PASS: TestKeys/rotate1 (0.00s)
pass: 12/12
tests pass=14 fail=0
PWD=/home/ana/project2
PWD=C:\Users\ana\work1
pwd: ./build2
export PWD="$HOME/x1"
append(cmd.Env, "PWD="+cmd.Dir1)
passport: 4 pages
passthrough=proxy2
compass: north1
secret
the secret is to sleep well
secret: none
secret=
"secret_name": "prod/db/main-2024-01"
secretName: billing-service-token-v2
secret: projects/acme/secrets/db-password/versions/12
secret_arn=arn:aws:secretsmanager:us-east-1:123456789012:secret:prod/db-AbCdEf
secret: arn:aws:secretsmanager:us-east-1:123456789012:secret:prod/db-AbCdEf
kubectl create secret generic db-credentials-2024
secrets.GITHUB_TOKEN
token: ${{ secrets.GITHUB_TOKEN }}
token
token: str
token = tokenizer.encode(text2)
token := parser.nextToken2()
tokens: 1234
"input_tokens": 20481, "output_tokens": 1024
max_tokens=4096
total_tokens: 128000
token_type: Bearer
token count: 88231
nextPageToken: CAEaBlBUOkNESUFBQkJDQ0RERQ1f2g3h
next_token=AAAAAXXyz123AAAABBBBccccDDDD9999eeee
continuation_token: eyJ2IjoxfQ1234567890abcdefgh
cancellationToken: CancellationToken.None
token: 550e8400-e29b-41d4-a716-446655440000
api_key
api_key: None
api_key = config.api_key_v2
api_key=os.getenv("OPENAI_API_KEY")
api_key="YOUR_API_KEY_1234567890"
apiKey: process.env.OPENAI_KEY2
api-key: see the vault
API key: ask ops
apikey=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
access_key: the one in 1Password
private_key_path=/etc/ssl/private/server2.key
private_key: /run/secrets/key1.pem
private_key_file: ~/.ssh/id_ed25519
credentials: same-origin
credentials = load_credentials_v2(path1)
credentials: "include"
auth_key_id: 12
encryption_key_version=7
signing_key: rotating
Authorization: required
Authorization: Bearer
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
Authorization: Bearer ${ACCESS_TOKEN_V2}
Authorization: Bearer YOUR_TOKEN_HERE_12345678
authorization: denied for user 42
Authorization header has 2 parts
AuthorizationCode = src.AuthorizationCode2
bearer of bad news
bearer token missing
the bearer authentication_scheme_is_not_supported
Bearer realm="example2"
AKIA
AKIAIOSFODNN7EXAMPLE
AKIA is how access keys begin
AKIASHORT
xAKIA1234567890ABCDEF
ghp_
ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
ghp_short
tokens of GitHub begin with ghp_ or gho_
github_pat_ is the prefix
glpat-xxxxxxxxxxxxxxxxxxxx
glpat-<token>
xoxb-your-token
xoxb-000
https://hooks.slack.com/services/
https://hooks.slack.com/services/XXX/YYY/ZZZ
https://discord.com/api/webhooks/
sk_live_
sk_test_xxxxxxxxxxxxxxxxxxxxxxxx
pk_live_51HxyzAbCdEfGhIjKlMn
AIza
AIzaShort
sk-
sk-proj
sk-learn
sk-ant
task-force-one-two-three-four-five-six
risk-assessment-of-the-new-billing-service
disk-usage-report-2024-01-01.txt
sk-loading-spinner-wrapper-inner-container
sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
class="sk-circle-fade-dot sk-center"
npm_config_registry=https://registry.example.com
npm_lifecycle_event
npm_package_dependencies_react_router
pypi-server
pypi-AgE
hf_hub_download
hf_transfer
shpat_
dapi
dapi_version
key-value
key-1234
monkey-patch
SG.
SG.short.short
SKU1234567890
SKIP
SKILL
asked skeptical sketch
hvs.
dp.pt.
lin_api_
lk_
lk_t_short
lukasa_scope_1.
eyJ
eyJhbGciOiJIUzI1NiJ9
eyJhbGciOiJIUzI1NiJ9.
eyJhIjoxfQ.not-a-token
-----BEGIN CERTIFICATE-----
-----BEGIN PUBLIC KEY-----
-----BEGIN PGP MESSAGE-----
-----BEGIN is how armour begins
---BEGIN---
https://example.com/a:b@c
https://example.com/user:name@host/x1
https://user@example.com/repo.git
https://example.com:8080/path
ssh://git@github.com:22/acme/app.git
git@github.com:acme/app.git
mailto:ana@example.com
http://localhost:3000/?q=a@b
postgres://app@db.internal/app
postgres://app:${PGPASSWORD}@db.internal/app
postgres://app:<password>@db.internal/app
redis://cache:6379/0
12:34:56 user@host ~ $
12345678:AA
10:AAAA
error at 1234567890:AAA
sv=2022&sig=short
AccountKey=<key>
AccountName=acme;EndpointSuffix=core.windows.net
a8Q~b
commit 9fceb02d0ae598e95dc970b74767f19372d61af8
git checkout 9fceb02
merge da39a3ee5e6b4b0d3255bfef95601890afd80709 into main
sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
the sha256 is e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
md5 d41d8cd98f00b204e9800998ecf8427e
etag: "33a64df551425fcc55e4d42a148795d9f25f89d4"
integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==
h1:u3pJ5YR3WlVnCBkJ0ZcmQtSVhFUNmRnXXBjeE8PA2pQ=
550e8400-e29b-41d4-a716-446655440000
id=550e8400-e29b-41d4-a716-446655440000
request_id: 01HZX3Q5V6W7X8Y9Z0A1B2C3D4
trace_id=4bf92f3577b34da6a3ce929d0e0e4736
span_id=00f067aa0ba902b7
session 7c9e6679-7425-40de-944b-e07fc1f90ae7 ended
docker pull alpine@sha256:c5b1261d6d3e43071626931fc004f70149baeba2c8ec672bd4f27761f8e1ad6b
image: registry.example.com/app:1.2.3-rc1
/usr/local/lib/python3.12/site-packages/numpy/core/_multiarray.cpython-312-x86_64-linux-gnu.so
C:\Program Files\Go1.26\bin\go.exe
file:///home/ana/Notes2024/readme.md
s3://bucket-2024/prefix/9fceb02d0ae598e95dc970b74767f193/part-0001
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ana@laptop
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA
2026-11-16T05:34:14.123456789Z
key: release/cadence
key=value1
cache_key=9fceb02d0ae598e95dc970b74767f19372d61af8
primary_key: user_id_1
foreign key (user2_id) references users
partition_key=tenant#acme2024
idempotency_key: 7f3c9a1e5b2d4f60
public_key: 3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29
keyboard: us-intl2
hotkey: ctrl+shift+k1
func TestPassword2(t *testing.T) {
type Password1 struct
var token2 string
let secretKey2 = deriveKey(input1)
if password == other.password1 {
return errors.New("secret: not found 404")
assert token != None
SELECT password FROM users WHERE id=12
UPDATE users SET password = ? WHERE id = 3
rm -rf /tmp/token1
ls -la secret/
grep -r "api_key" src/ | wc -l
diff --git a/secret1.go b/secret1.go
index 9fceb02..da39a3e 100644
@@ -12,7 +12,9 @@ func token1()
curl -u user https://example.com
curl -H "X-Api-Key: $KEY" https://example.com
Set-Cookie: theme=dark; Path=/
User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36
base64 of hello is aGVsbG8gd29ybGQ=
lorem ipsum dolor sit amet, consectetur adipiscing elit 1234567890
The quick brown fox jumps over 13 lazy dogs
[scrubbed:github-token]
password=[scrubbed:password]
Authorization: Bearer [scrubbed:jwt]
https://user:[scrubbed:url-password]@example.com/
`

// Texts without secrets are not changed, in text and in JSON.
func TestHarmlessIsLeftAlone(t *testing.T) {
	var list []string
	for line := range strings.Lines(harmless) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	for i := range uint64(20) {
		list = append(list,
			"commit "+made(hexes, 40, i), "fixed in "+made(hexes, 7, i)+", see "+made(hexes, 12, i+40), "digest "+made(hexes, 64, i),
			fmt.Sprintf("session_id=%s-%s-4%s-a%s-%s", made(hexes, 8, i), made(hexes, 4, i), made(hexes, 3, i), made(hexes, 3, i+1), made(hexes, 12, i)),
			"/var/lib/"+made(lowers, 8, i)+"/"+made(alnums, 12, i)+"/x.log", "event "+made(alnums, 26, i)+" was recorded",
		)
	}
	if len(list) < 300 {
		t.Errorf("only %d texts", len(list))
	}
	for _, text := range list {
		if got, n := secret.Text(text); got != text || n != 0 {
			t.Errorf("%q became %q", text, got)
		}
		for name, doc := range documents(t, text) {
			if got, n := secret.JSON(doc); got != doc || n != 0 {
				t.Errorf("%s: %s became %s", name, doc, got)
			}
		}
		doc, err := json.Marshal(map[string]string{"content": text, "path": "/src/x", "role": "user"})
		if err != nil {
			t.Fatal(err)
		}
		if got, n := secret.JSON(string(doc)); got != string(doc) || n != 0 {
			t.Errorf("%s became %s", doc, got)
		}
	}
}
