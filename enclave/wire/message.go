package wire

import "github.com/railkit/railkit/chain"

// SignMessage asks for a signature over something that is no transaction.
const SignMessage ActivityType = "ACTIVITY_TYPE_SIGN_MESSAGE"

// The kinds of a message.
const (
	MessageText      = chain.MessageText
	MessageHex       = chain.MessageHex
	MessageTypedData = chain.MessageTypedData
	MessageRawDigest = chain.MessageRawDigest
)

// SignMessageParams asks for a signature over a message.
type SignMessageParams struct {
	SignWith string `json:"signWith"`
	Type     string `json:"type"`
	Payload  string `json:"payload"`
}

// Signature is what SignMessage made.
type Signature struct {
	SignWith  string `json:"signWith"`
	Digest    string `json:"digest"`    // 0x hex of the 32 bytes that are signed
	Signature string `json:"signature"` // 0x hex of r, s and v (27 or 28)
}

// Authorization is typed data that lets others move or take tokens by handing it in.
type Authorization struct {
	SignWith string `json:"signWith"`
	Type     string `json:"type"` // primaryType of EIP-712
	Chain    string `json:"chain"`
	ChainID  string `json:"chainId"`
	Contract string `json:"contract"` // that takes it: the token's own, or Permit2
	// That the contract takes once; in a batch of Permit2's allowances one for each token.
	Nonces []string `json:"nonces"`
	// The last moment at which the contract takes it; none: it has no end.
	EndsAt  string         `json:"endsAt,omitempty"`
	Effects []chain.Effect `json:"effects"`
}
