package takeover

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/signer/core/apitypes"

	"github.com/railkit/railkit/enclave/wire"
)

// message is a signature over what is no transaction: it must be over the digest
// of something that its owner stamped, and no policy of limits knows what it does.
func (l *ledger) message(s wire.Signature) error {
	digest, raw := common.FromHex(s.Digest), common.FromHex(s.Signature)
	if len(digest) != 32 || len(raw) != 65 {
		return errors.New("it signs what is no digest")
	}
	raw[64] -= 27
	key, err := crypto.SigToPub(digest, raw)
	if err != nil {
		return fmt.Errorf("its signer cannot be told: %w", err)
	}
	p, honest := l.purses[crypto.PubkeyToAddress(*key)]
	if !honest {
		return nil
	}
	for fp, text := range l.bodies {
		body, ok := strict(text)
		m, also := decode[wire.SignMessageParams](body.Parameters)
		if !ok || !also || body.Type != wire.SignMessage || body.OrganizationID != p.org ||
			common.HexToAddress(m.SignWith) != crypto.PubkeyToAddress(*key) {
			continue
		}
		if common.BytesToHash(digestOf(m)) != common.BytesToHash(digest) {
			continue
		}
		return l.said(p, fp, body, m)
	}
	return errors.New("nobody agreed to the message")
}

// said holds a message against the wallet's policies, which understand plain text only.
func (l *ledger) said(p purse, fp string, body wire.Body, m wire.SignMessageParams) error {
	s := l.societies[p.org]
	voted := s.count(fp) > 0
	if !inTime(body, l.now()) && !voted || len(l.stamped[fp]) == 0 && !voted || l.rejected[fp] {
		return errors.New("nobody agreed to the message in time")
	}
	free := false
	for _, policy := range s.policies {
		r := policy.Rules
		free = free || policy.WalletID == p.wallet && r.AllowRawDigests
		if policy.WalletID == p.wallet && !r.AllowRawDigests && r.Delegation == nil && m.Type == wire.MessageTypedData {
			return errNot("understood")
		}
	}
	needed := 0
	if s.config.Enabled && (m.Type == wire.MessageTypedData || s.config.IncludeMessages) {
		_, _ = fmt.Sscan(s.config.RequiredApprovers, &needed)
	}
	if s.count(fp) < needed {
		return fmt.Errorf("%d users agreed to the message, %d had to", s.count(fp), needed)
	}
	if m.Type == wire.MessageRawDigest && !free {
		return errors.New("no policy allows raw digests")
	}
	return nil
}

func digestOf(m wire.SignMessageParams) []byte {
	switch m.Type {
	case wire.MessageText:
		return accounts.TextHash([]byte(m.Payload))
	case wire.MessageHex:
		return accounts.TextHash(common.FromHex(m.Payload))
	case wire.MessageRawDigest:
		return common.FromHex(m.Payload)
	}
	var data apitypes.TypedData
	if json.Unmarshal([]byte(m.Payload), &data) != nil {
		return nil
	}
	digest, _, err := apitypes.TypedDataAndHash(data)
	if err != nil {
		return nil
	}
	return digest
}
