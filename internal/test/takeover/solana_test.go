package takeover

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/enclave/wire"
)

// solBook is what the owners of Solana accounts keep. A transaction there has no nonce, so that they hold each body to
// its one transaction, and each transaction to its one body. What an owner never meant he says before anybody tries.
type solBook struct {
	made     map[string]string // fingerprint -> id
	under    map[string]string // id -> fingerprint
	unwanted map[string]string // fingerprint -> why
}

func newSolBook() solBook {
	return solBook{map[string]string{}, map[string]string{}, map[string]string{}}
}

// never is a body of which no signature may come in this attack.
func (l *ledger) never(body, why string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.solana.unwanted[wire.Fingerprint(body)] = why
	return body
}

func (b solBook) saw(fp string, t wire.Transaction) error {
	before, also := b.made[fp], b.under[t.TxHash]
	b.made[fp], b.under[t.TxHash] = t.TxHash, fp
	switch {
	case b.unwanted[fp] != "":
		return errors.New(b.unwanted[fp])
	case before != "" && before != t.TxHash:
		return fmt.Errorf("one body has the transactions %s and %s", before, t.TxHash)
	case also != "" && also != fp:
		return fmt.Errorf("two bodies are told of the transaction %s", t.TxHash)
	}
	return nil
}

// solPerson is a person with accounts on Solana, the robber's and the shop's beside.
type solPerson struct {
	*person
	own, second solana.Address
}

func named(text string) solana.Address { return sha256.Sum256([]byte(text)) }

var (
	solShop, solRobber = named("shop"), named("robber")
	solUSDC            = mustAddress("4zMMC9srt5Ri5X14GAgXhaHii3GnPAERYPJgZJDncDU1")
)

func mustAddress(text string) solana.Address {
	a, err := solana.ParseAddress(text)
	if err != nil {
		panic(err)
	}
	return a
}

func (h *host) onSolana() *solPerson {
	p := &solPerson{person: h.newcomer()}
	for i, to := range []*solana.Address{&p.own, &p.second} {
		form := solana.Family{}.Form()
		_, r := p.must(wire.CreateWalletAccounts, wire.CreateWalletAccountsParams{
			WalletID: p.wallet, Accounts: []wire.AccountParams{{
				Curve: form.Curve, PathFormat: form.PathFormat, Path: form.PathOf(i), AddressFormat: form.AddressFormat,
			}},
		})
		*to = mustAddress(r.Accounts[0].Address)
	}
	return p
}

// shopOnly lets the wallet pay the shop and nobody else.
func (p *solPerson) shopOnly() *solPerson {
	p.must(wire.CreatePolicy, wire.CreatePolicyParams{
		WalletID: p.wallet, Rules: wire.Rules{AllowedDestinations: []string{solShop.String()}},
	})
	return p
}

// solPays is a payment of 1 USDC to the shop, for no more than 10,000 lamports, and for no account of the shop's.
func (p *solPerson) solPays() string {
	p.h.t.Helper()
	usdc := chain.Token{Symbol: "USDC", Address: solUSDC.String(), Decimals: 6}
	call, err := solana.Family{}.Transfer(usdc, solShop.String(), big.NewInt(1_000_000))
	if err != nil {
		p.h.t.Fatal(err)
	}
	return p.body(wire.SignIntent, wire.SignIntentParams{
		SignWith: p.own.String(), Chain: "solana", ChainID: "devnet", To: solShop.String(), Value: "0",
		Data: chain.Hex(call.Data), GasLimit: "60000", MaxTotalFee: "10000",
	})
}

// around is what a host adds to it, changed.
func around(change func(*wire.Volatile)) wire.Volatile {
	v := wire.Volatile{
		Blockhash: named("block").String(), Version: "v1", Units: "50000", LoadedBytes: "200000", Priority: "1000",
		LastHeight: "500",
	}
	change(&v)
	return v
}

func asTold(*wire.Volatile) {}

func (p *solPerson) hands(body string, stamp *wire.Stamp, v wire.Volatile) {
	_, _, _ = p.h.outcome(wire.MSubmit, wire.SubmitRequest{Body: body, Stamp: stamp, Volatile: &v})
}

// exactly asks for exact bytes that the owner is to stamp unread.
func (p *solPerson) exactly(why string, tables []solana.Lookup, all ...solana.Instruction) {
	p.h.t.Helper()
	m, err := solana.Compile(solana.V0, p.own, named("block"), solana.Config{}, all)
	if err != nil {
		p.h.t.Fatal(err)
	}
	m.Lookups = tables
	raw, err := solana.Unsigned(m).Encode()
	if err != nil {
		p.h.t.Fatal(err)
	}
	body := p.h.ledger.never(p.body(wire.SignTransaction, wire.SignTransactionParams{
		SignWith: p.own.String(), Type: "TRANSACTION_TYPE_SOLANA", UnsignedTransaction: chain.Hex(raw),
	}), why)
	p.hands(body, p.agree(body), around(asTold))
}

func (p *solPerson) coin(lamports uint64) solana.Instruction {
	return solana.TransferCoin(p.own, solShop, lamports)
}

// ofToken is an instruction of the Token program over the own account.
func (p *solPerson) ofToken(data []byte, to ...solana.Address) solana.Instruction {
	i := solana.Instruction{Program: solana.TokenProgram, Data: data, Accounts: []solana.Account{
		{Address: solana.AssociatedAddress(p.own, solUSDC, solana.TokenProgram), Written: true},
	}}
	for n, a := range to {
		i.Accounts = append(i.Accounts, solana.Account{Address: a, Written: n == len(to)-1})
	}
	i.Accounts = append(i.Accounts, solana.Account{Address: p.own, Signs: true}, solana.Account{Address: solShop})
	return i
}

func amountOf(kind byte, amount uint64) []byte {
	return append(binary.LittleEndian.AppendUint64([]byte{kind}, amount), 6)
}

// solTerms is an attack with terms that go beyond what was stamped.
func solTerms(why string, change func(*wire.Volatile)) func(*host) {
	return func(h *host) {
		p := h.onSolana()
		body := h.ledger.never(p.solPays(), why)
		p.hands(body, p.agree(body), around(change))
	}
}

// underRules is an attack with exact bytes on a wallet that pays the shop only.
func underRules(why string, tables []solana.Lookup, all func(p *solPerson) []solana.Instruction) func(*host) {
	return func(h *host) {
		p := h.onSolana().shopOnly()
		p.exactly(why, tables, all(p)...)
	}
}

// solanaAttacks are those on keys of Solana.
var solanaAttacks = []attack{
	{"L10", "a priority fee above the maximum", "fee",
		solTerms("its fee is above what was stamped", func(v *wire.Volatile) { v.Priority = "900000000" })},
	{"L10", "an account for the payee at the cost of the payer", "solanaRent",
		solTerms("it opens an account, for which nothing was stamped", func(v *wire.Volatile) { v.Rent = "2039280" })},
	{"L11", "a second message for a body that has expired", "once", func(h *host) {
		p := h.onSolana()
		body := p.solPays()
		stamp := p.agree(body)
		p.hands(body, stamp, around(asTold))
		p.hands(body, stamp, around(func(v *wire.Volatile) { v.Blockhash = named("later").String() }))
	}},
	{"L12", "one message for two bodies", "solanaTold", func(h *host) {
		p := h.onSolana()
		for range 2 {
			body := p.solPays()
			p.hands(body, p.agree(body), around(asTold))
		}
	}},
	{"L01", "accounts that are in a table on the chain", "solanaTables",
		underRules("nobody can tell whom it pays", []solana.Lookup{{Table: solRobber, Written: []uint8{1}}},
			func(p *solPerson) []solana.Instruction { return []solana.Instruction{p.coin(1)} })},
	{"L02", "one benign instruction and the account given away", "solanaUnknown",
		underRules("it gives the token account away", nil, func(p *solPerson) []solana.Instruction {
			give := p.ofToken(append([]byte{solana.TokenSetAuthority, 2, 1}, solRobber[:]...))
			return []solana.Instruction{p.coin(1), give}
		})},
	{"L02", "one benign instruction and an allowance for the robber", "solanaApprove",
		underRules("it lets the robber take tokens", nil, func(p *solPerson) []solana.Instruction {
			i := p.ofToken(amountOf(solana.TokenApproveChecked, 5e6), solUSDC, solRobber)
			i.Accounts[2].Written, i.Accounts = false, i.Accounts[:4]
			return []solana.Instruction{p.coin(1), i}
		})},
	{"L03", "a token account of the robber under the name of the shop", "solanaOwner",
		underRules("it pays the robber's token account", nil, func(p *solPerson) []solana.Instruction {
			his := solana.AssociatedAddress(solRobber, solUSDC, solana.TokenProgram)
			return []solana.Instruction{p.ofToken(amountOf(solana.TokenTransferChecked, 5e6), solUSDC, his)}
		})},
	{"L15", "a message that can be sent at any later time", "solanaUnknown",
		underRules("it never expires", nil, func(p *solPerson) []solana.Instruction {
			return []solana.Instruction{{Program: solana.SystemProgram, Accounts: []solana.Account{
				{Address: solRobber, Written: true}, {Address: named("hashes")}, {Address: p.own, Signs: true},
			}, Data: []byte{solana.SystemAdvanceNonce, 0, 0, 0}}, p.coin(1)}
		})},
	{"L15", "two keys of one signer in one transaction", "solanaBoth",
		underRules("two keys of ours sign, and each is judged alone", nil,
			func(p *solPerson) []solana.Instruction {
				return []solana.Instruction{p.coin(1), solana.TransferCoin(p.second, solShop, 1)}
			})},
}
