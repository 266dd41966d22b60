package wire

// Sealed is what the signer is bound to: what `railkit-enclave init` sealed, and what its operator has added since.
// It never has fewer amendments than it had before, nor others: each is an entry of the journal.
type Sealed struct {
	Genesis    string      `json:"genesis"`    // hash of what was sealed, hex
	Amendments []Amendment `json:"amendments"` // oldest first
}

// Amendment is one entry of the journal by which the signer's operator, with the unseal secret, added to what was
// sealed.
type Amendment struct {
	Seq     string   `json:"seq"`
	Head    string   `json:"head"` // hash of the journal up to Seq, hex
	Time    string   `json:"time"` // signer's clock, ISO 8601
	Changes []string `json:"changes"`
}
