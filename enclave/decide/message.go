package decide

import (
	"strconv"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/policy"
	"github.com/railkit/railkit/enclave/wire"
)

// maxMessage bounds a text or bytes: more is shown to nobody.
const maxMessage = 64 << 10

// message is a SignMessage's parameters, understood.
//
// Text for people moves nothing and belongs to no network: only caps on what was
// spent and votes could be in its way, and it costs nothing. No delegation covers
// it, for it may log somebody in. Other bytes, 32 of them above all, may be the
// hash of anything that a contract then does: they have an unknown effect.
type message struct {
	account account
	from    evm.Address
	network chain.Network // of typed data only
	digest  [32]byte
	effects []chain.Effect
	raw     bool // a digest that the caller made
	ends    int64
	consent *wire.Authorization // of typed data that is understood
	shown   wire.Message
}

func (s *State) readMessage(org *organization, p *wire.SignMessageParams) (m message, err error) {
	if m.account, m.from, err = org.account(p.SignWith); err != nil {
		return m, err
	}
	switch p.Type {
	case wire.MessageText:
		err = m.readBytes([]byte(p.Payload))
	case wire.MessageHex:
		raw, ok := bytesOf(p.Payload)
		if !ok {
			return m, ErrBody.Msg("payload is not 0x-prefixed hex")
		}
		err = m.readBytes(raw)
	case wire.MessageTypedData:
		err = m.readTyped(s.Networks, p.Payload)
	case wire.MessageRawDigest:
		raw, ok := bytesOf(p.Payload)
		if !ok || len(raw) != len(m.digest) {
			return m, ErrBody.Msg("payload is not 0x-prefixed hex of 32 bytes")
		}
		m.digest, m.raw = [32]byte(raw), true
	default:
		return m, ErrBody.Msg("type is not EIP191_TEXT, EIP191_HEX, EIP712 or RAW_DIGEST")
	}
	m.shown.Type, m.shown.Digest = p.Type, chain.Hex(m.digest[:])
	return m, err
}

func (m *message) readBytes(raw []byte) error {
	if len(raw) > maxMessage {
		return ErrBody.Msg("payload is too large")
	}
	m.digest = evm.MessageDigest(raw)
	m.shown.Text = string(raw)
	if !evm.IsText(raw) {
		m.effects = []chain.Effect{evm.UnknownMessage(m.from, evm.Address{})}
	}
	if !evm.IsText(raw) || strings.HasPrefix(m.shown.Text, "0x") { // hex that is text must not look like the bytes
		m.shown.Text = chain.Hex(raw)
	}
	return nil
}

func (m *message) readTyped(networks []chain.Network, payload string) error {
	d, err := evm.ParseTypedData([]byte(payload))
	if err != nil {
		return ErrBody.Msg("payload is " + err.Error())
	}
	var ok bool
	if m.network, ok = chain.WithChainID(networks, d.ChainID); !ok {
		return ErrBody.Msg("domain.chainId is of no network of this environment")
	}
	m.digest, m.effects = d.Digest, d.Effects(m.from, m.network)
	m.shown.Domain, m.shown.Primary, m.shown.Fields = d.Domain, d.Primary, d.Fields
	if second, ok := d.End(); ok {
		m.ends = second
	}
	if nonces := d.Nonces(); nonces != nil {
		m.consent = &wire.Authorization{
			SignWith: m.from.String(), Type: d.Primary, Chain: m.network.Slug,
			ChainID: strconv.FormatUint(m.network.ChainID, 10), Contract: d.Contract.String(), Nonces: nonces,
			EndsAt: endsAt(m.ends), Effects: m.effects,
		}
	}
	return nil
}

// endsAt is a second as times are written, "" for one that no calendar has.
func endsAt(second int64) string {
	if second <= 0 || second > lastSecond {
		return ""
	}
	return clock.ISO(time.Unix(second, 0))
}

const lastSecond = 253402300799 // of the year 9999

func (m message) signing() signing {
	return signing{account: m.account, Signing: policy.Signing{
		Network: m.network, Effects: m.effects, RawDigest: m.raw, Message: true, Ends: m.ends,
	}}
}

func (s *State) decideMessage(
	org *organization, sub Submission, p *wire.SignMessageParams, by actor, now time.Time,
) (Event, error) {
	m, err := s.readMessage(org, p)
	if err != nil {
		return Event{}, err
	}
	return s.decideSigning(org, sub, m.signing(), by, now, func() (Event, error) {
		return Event{Kind: EventMessage, Message: &MessageOrder{
			SignWith: m.account.Address, WalletID: m.account.WalletID, Path: m.account.Path, Digest: m.digest[:],
			Authorization: m.consent,
		}}, nil
	})
}

func (s *State) previewMessage(
	org *organization, r Request, p *wire.SignMessageParams, now time.Time,
) (*wire.Preview, error) {
	m, err := s.readMessage(org, p)
	if err != nil {
		return nil, err
	}
	shown := &wire.Preview{
		SignWith: m.account.Address, WalletID: m.account.WalletID, Effects: m.effects,
		Warnings: warn(m.effects), Message: &m.shown,
	}
	if n := m.network; n.ChainID != 0 {
		shown.Chain, shown.ChainName, shown.ChainID = n.Slug, n.Name, strconv.FormatUint(n.ChainID, 10)
	}
	if m.raw {
		shown.Warnings = append(shown.Warnings, "raw digest: nobody can tell what is signed, and it may be anything")
	}
	return s.judged(org, r, m.signing(), shown, now)
}
