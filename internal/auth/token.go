package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"math/big"
	"strings"
)

// The text of a key is lk_<role>_<id>_<secret><sum>: a letter for the role, a public id,
// 256 random bits in base 62, and a checksum of all before it.
const (
	tokenMark    = "lk_"
	idLength     = 10
	secretLength = 43
	sumLength    = 6
	tokenLength  = len(tokenMark) + 1 + 1 + idLength + 1 + secretLength + sumLength

	idLetters = "0123456789abcdefghjkmnpqrstvwxyz" // without i, l, o and u, which are easily misread
)

// letter is the letter of a role in a key.
func (r Role) letter() string {
	switch r {
	case Operator:
		return "o"
	case Member:
		return "t"
	case Agent:
		return "a"
	}
	return ""
}

// newToken makes the text of a key, and its id.
func newToken(role Role) (token, id string, err error) {
	var random [idLength + sha256.Size]byte
	if _, err := rand.Read(random[:]); err != nil {
		return "", "", err
	}
	name := make([]byte, idLength)
	for i := range name {
		name[i] = idLetters[random[i]%byte(len(idLetters))]
	}
	secret := base62(new(big.Int).SetBytes(random[idLength:]), secretLength)
	body := tokenMark + role.letter() + "_" + string(name) + "_" + secret
	return body + checksum(body), string(name), nil
}

// base62 formats a number with the given number of digits.
func base62(n *big.Int, digits int) string {
	text := n.Text(62)
	return strings.Repeat("0", max(digits-len(text), 0)) + text
}

// checksum detects typing errors. It is no protection.
func checksum(body string) string {
	return base62(big.NewInt(int64(crc32.ChecksumIEEE([]byte(body)))), sumLength)
}

// idOf returns the id in the text of a key, or nothing if it is malformed.
func idOf(token string) string {
	if len(token) != tokenLength || !strings.HasPrefix(token, tokenMark) || token[len(tokenMark)+1] != '_' {
		return ""
	}
	body, sum := token[:tokenLength-sumLength], token[tokenLength-sumLength:]
	if checksum(body) != sum {
		return ""
	}
	id, _, ok := strings.Cut(body[len(tokenMark)+2:], "_")
	if !ok || len(id) != idLength {
		return ""
	}
	return id
}
