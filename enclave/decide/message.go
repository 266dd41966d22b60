package decide

import (
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/keystore"
	"github.com/railkit/railkit/enclave/policy"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// message is a SignMessage's parameters, understood. Text for people has no effects: only caps on what was spent and
// votes could be in its way. No delegation covers it, for it may log somebody in.
type message struct {
	chain.Message
	account account
	shown   wire.Message
	consent *wire.Authorization // of what is understood
}

func (c call) readMessage(p *wire.SignMessageParams) (m message, err error) {
	a, err := c.org.account(p.SignWith)
	if err != nil {
		return m, err
	}
	return c.readAs(a, p.Type, p.Payload)
}

// readAs reads what an account is to sign.
func (c *Constants) readAs(a account, kind, payload string) (m message, err error) {
	m.account = a
	if m.Message, err = a.family.ReadMessage(c.Networks, a.Address, kind, payload); err != nil {
		return m, refusal.ErrBody.Msg(err.Error())
	}
	if m.isTransaction() {
		return m, refusal.ErrBody.Msg("payload is a transaction")
	}
	m.shown = wire.Message{
		Type: kind, Digest: chain.Hex(m.Payload),
		Text: m.Text, Domain: m.Domain, Primary: m.Primary, Fields: m.Fields,
	}
	if c := m.Consent; c != nil {
		m.consent = &wire.Authorization{
			SignWith: m.account.Address, Type: c.Type, Chain: m.Network.Slug, ChainID: m.Network.ID(),
			Contract: c.Contract, Nonces: c.Nonces, EndsAt: endsAt(m.Ends), Effects: c.Effects,
		}
	}
	return m, nil
}

// isTransaction reports whether the signature of a message would also be one of a transaction. Keys on ed25519 sign
// payloads as they are: it is the family that has to keep the two apart, and this finds one that does not.
func (m message) isTransaction() bool {
	if m.account.family.Form().Curve != keystore.Ed25519 {
		return false // it signs a hash
	}
	_, err := m.account.family.DecodeUnsigned(m.Payload)
	return err == nil
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
		Network: m.Network, Effects: m.Effects, RawDigest: m.Raw, Message: true, Ends: m.Ends,
	}}
}

func signMessage(c call, p *wire.SignMessageParams) (Event, error) {
	m, err := c.readMessage(p)
	if err != nil {
		return Event{}, err
	}
	return c.sign(m.signing(), func() (Event, error) { return m.order(), nil })
}

func (m message) order() Event {
	return Event{Kind: EventMessage, Message: &MessageOrder{
		SignWith: m.account.Address, WalletID: m.account.WalletID, Path: m.account.Path,
		Kind: m.account.family.Kind(), Digest: m.Payload, Authorization: m.consent,
	}}
}

func showMessage(c call, p *wire.SignMessageParams) (*wire.Preview, error) {
	m, err := c.readMessage(p)
	if err != nil {
		return nil, err
	}
	shown := &wire.Preview{
		SignWith: m.account.Address, WalletID: m.account.WalletID, Effects: m.Effects,
		Warnings: warn(m.Effects), Message: &m.shown,
	}
	if n := m.Network; n.Slug != "" {
		shown.Chain, shown.ChainName, shown.ChainID = n.Slug, n.Name, n.ID()
	}
	if m.Raw {
		shown.Warnings = append(shown.Warnings, "raw digest: nobody can tell what is signed, and it may be anything")
	}
	return c.judged(m.signing(), shown)
}
