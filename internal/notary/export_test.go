package notary

import "lukasa.dev/internal/fault"

// DirectoryKey returns the key that the notes of all tenants can be verified
// with, or "" when it is not known.
func (n *Notary) DirectoryKey() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.vkey
}

// ParseReceipt reads the text of a receipt, without signatures. It accepts what
// Marshal makes and nothing else.
func ParseReceipt(text []byte) (Receipt, error) {
	r, err := parseReceipt(text)
	if err != nil {
		return Receipt{}, fault.Newf(fault.InvalidDocument, "receipt: %w", err)
	}
	return r, nil
}
