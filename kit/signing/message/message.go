package message

import (
	"context"
	"errors"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/rest"
)

// SignMessageInput asks for a signature over something that is no transaction.
type SignMessageInput struct {
	SignWith       string            `json:"signWith" minLength:"1" maxLength:"64" doc:"Address, or id of the wallet account"`
	Type           string            `json:"type" enum:"EIP191_TEXT,EIP191_HEX,EIP712,RAW_DIGEST" doc:"RAW_DIGEST is refused unless a policy of the wallet allows it"`
	Payload        string            `json:"payload" maxLength:"65536" text:"any" doc:"The text; 0x hex; the JSON of eth_signTypedData_v4; or 0x hex of 32 bytes"`
	SignedActivity *activity.Stamped `json:"signedActivity,omitempty" doc:"The body that prepare=true answered, with a passkey's stamp, or with that of a delegation's key"`
	rest.ReturnTo
}

// SignedMessage is a signature over a message. The proof is the enclave's word.
type SignedMessage struct {
	MessageID string     `json:"messageId"`
	SignWith  string     `json:"signWith"`
	Digest    string     `json:"digest" doc:"0x hex of the 32 bytes that are signed"`
	Signature string     `json:"signature" doc:"0x hex of r, s and v (27 or 28)"`
	Proof     wire.Proof `json:"proof"`
}

// Sign signs a message under a stamp, within a delegation, or once enough
// users have agreed; then the approval's result has the signature.
func (s *Service) Sign(ctx context.Context, cmd *command.Command, in SignMessageInput,
	prepare bool,
) (command.Answer, error) {
	from, err := s.wallets.Sender(ctx, cmd.Principal.WorkspaceID, in.SignWith)
	if err != nil {
		return command.Answer{}, err
	}
	if from.External {
		return command.Answer{}, fault.Missing("Address")
	}
	return s.changes.Do(ctx, cmd, activity.Change{
		Kind: wire.SignMessage, Owner: from.Wallet.Owner(), WalletID: from.Wallet.ID, URL: "/v1/signing/messages/sign",
		Params: wire.SignMessageParams{SignWith: from.From, Type: in.Type, Payload: in.Payload},
	}, activity.Stamping{Prepare: prepare, SignedActivity: in.SignedActivity})
}

// signed is the answer to a message that was signed.
func signed(_ context.Context, a activity.Activity, out client.Outcome) (any, error) {
	r := out.Statement.Result
	if r == nil || r.Signature == nil {
		return nil, errors.New("the enclave's answer to a message has no signature")
	}
	return SignedMessage{
		MessageID: a.ID, SignWith: r.Signature.SignWith, Digest: r.Signature.Digest, Signature: r.Signature.Signature,
		Proof: out.Proof,
	}, nil
}
