package signing

import (
	"context"
	"errors"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/command"
)

// SignMessageInput asks for a signature over something that is no transaction.
type SignMessageInput struct {
	SignWith       string   `json:"signWith" minLength:"1" maxLength:"64" doc:"Address, or id of the wallet account"`
	Type           string   `json:"type" enum:"EIP191_TEXT,EIP191_HEX,EIP712,RAW_DIGEST" doc:"RAW_DIGEST is refused unless a policy of the wallet allows it"`
	Payload        string   `json:"payload" maxLength:"65536" text:"any" doc:"The text; 0x hex; the JSON of eth_signTypedData_v4; or 0x hex of 32 bytes"`
	SignedActivity *Stamped `json:"signedActivity,omitempty" doc:"The body that prepare=true answered, with a passkey's stamp, or with that of a delegation's key"`
}

// SignedMessage is a signature over a message. The proof is the enclave's word.
type SignedMessage struct {
	MessageID string     `json:"messageId"`
	SignWith  string     `json:"signWith"`
	Digest    string     `json:"digest" doc:"0x hex of the 32 bytes that are signed"`
	Signature string     `json:"signature" doc:"0x hex of r, s and v (27 or 28)"`
	Proof     wire.Proof `json:"proof"`
}

// SignMessage signs a message under a stamp, within a delegation, or once enough
// users have agreed; then the approval's result has the signature.
func (s *Service) SignMessage(ctx context.Context, cmd *command.Command, in SignMessageInput, prepare bool) (command.Answer, error) {
	p := plan{}
	if err := s.sender(ctx, cmd.Principal.WorkspaceID, in.SignWith, &p); err != nil {
		return command.Answer{}, err
	}
	if p.external {
		return command.Answer{}, fault.Missing("Address")
	}
	sub, err := s.store.SubOrganization(ctx, cmd.Principal.WorkspaceID, p.wallet.SubOrganizationID)
	if err != nil {
		return command.Answer{}, err
	}
	c := s.changes()[wire.SignMessage]
	c.sub, c.url, c.wallet = sub, "/v1/signing/messages/sign", p.wallet.ID
	c.params = wire.SignMessageParams{SignWith: p.from.String(), Type: in.Type, Payload: in.Payload}
	return s.do(ctx, cmd, c, Stamping{Prepare: prepare, SignedActivity: in.SignedActivity})
}

func signedMessage(_ context.Context, a Activity, out client.Outcome) (any, error) {
	r := out.Statement.Result
	if r == nil || r.Signature == nil {
		return nil, errors.New("the enclave's answer to a message has no signature")
	}
	return SignedMessage{
		MessageID: a.ID, SignWith: r.Signature.SignWith, Digest: r.Signature.Digest, Signature: r.Signature.Signature, Proof: out.Proof,
	}, nil
}
