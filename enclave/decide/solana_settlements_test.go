package decide

import (
	"strconv"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/enclave/policy"
	"github.com/railkit/railkit/enclave/wire"
)

// settling is a club whose account pays fees under a delegation of anybody's, within limits.
func settling(t *testing.T, most, daily string) *club {
	c := solPriced(t)
	c.rules(wire.Rules{Delegation: &wire.Delegation{
		AnyRequest: true, SettlementsOnly: true, MaxValueUSD: most, DailyUSD: daily,
		ExpiresAtMs: strconv.FormatInt(c.now.Add(time.Hour).UnixMilli(), 10),
	}})
	return c
}

// unstamped is what becomes of exact bytes that nobody stamped.
func (c *club) unstamped(p wire.SignTransactionParams) Event {
	c.t.Helper()
	d, err := c.Decide(Submission{Request: c.body(wire.SignTransaction, p), Volatile: solTerms()}, c.now)
	if err != nil {
		c.t.Fatal(err)
	}
	c.apply(d.Event)
	return d.Event
}

// paysFor is a message of which the account pays the fee, made different by a number.
func (c *club) paysFor(n byte, all ...solana.Instruction) wire.SignTransactionParams {
	return c.solBytes(solOwn, append(all, solana.Memo(strconv.Itoa(int(n))))...)
}

// foreign is the call of a program that nobody here knows.
func foreign(accounts ...solana.Account) solana.Instruction {
	return solana.Instruction{Program: solana.Address{7, 7}, Accounts: accounts, Data: []byte{1}}
}

const solSecond = "9hSR6S7WPtxmTojgo6GG3k4yDPecgJY292j7xrsUGWBu"

var payer = solana.Account{Address: solAddress(solOther), Signs: true, Written: true}

type instructions = []solana.Instruction

// Under a delegation for settlements the account signs as who pays the fee, whatever the transaction does, and counts
// the fee. Where it is more than that, nothing is signed.
func TestSolana_L20_Settlements(t *testing.T) {
	own, mint := solAddress(solOwn), solAddress(solMint)
	sponsored, err := solana.Sponsored{
		Sponsor: own, Source: payer.Address, Destination: solAddress(solPayee), Mint: mint, Decimals: 6,
		Amount: 10_000, Memo: "1", Blockhash: solAddress(solHash),
	}.Message()
	if err != nil {
		t.Fatal(err)
	}
	c := settling(t, "0.1", "10")
	c.solAccount(solSecond)
	checks := solana.Instruction{
		Program: solAddress("Ed25519SigVerify111111111111111111111111111"), Data: []byte{255},
	}
	written := solana.Account{Address: own, Written: true}
	second := solana.Account{Address: solAddress(solSecond), Signs: true}
	third := solana.Account{Address: solana.Address{3, 3}, Signs: true}
	nonce := solana.Instruction{Program: solana.SystemProgram, Data: []byte{solana.SystemAdvanceNonce, 0, 0, 0},
		Accounts: []solana.Account{{Address: solana.Address{8}, Written: true}, {Address: solana.Address{9}}, payer}}
	for name, tc := range map[string]struct {
		all    instructions
		signed bool
	}{
		"a program of a stranger":          {instructions{foreign(payer)}, true},
		"nobody else signs":                {nil, true},
		"its coin":                         {instructions{solana.TransferCoin(own, payer.Address, 1)}, false},
		"its tokens":                       {instructions{solana.TransferToken(own, payer.Address, mint, 1, 6)}, false},
		"an account at its cost":           {instructions{solana.CreateAssociated(own, payer.Address, mint)}, false},
		"it is written to":                 {instructions{foreign(payer, written)}, false},
		"it is named":                      {instructions{foreign(payer, solana.Account{Address: own})}, false},
		"three sign":                       {instructions{foreign(payer, third)}, false},
		"a nonce":                          {instructions{nonce, foreign(payer)}, false},
		"another account of the same club": {instructions{foreign(second)}, false},
		"a fee above the stamp":            {instructions{solana.SetPrice(5_000_000), foreign(payer)}, false},
		"signatures that a program checks": {instructions{checks, foreign(payer)}, false},
	} {
		e := c.unstamped(c.paysFor(byte(len(name)), tc.all...))
		if (e.Transaction != nil) != tc.signed {
			t.Errorf("%s: %s", name, e.Kind)
		}
		if tc.signed && (e.Transaction.Standing || e.Spend.MicroUSD > 2_000 || e.Spend.DelegationID == "") {
			t.Errorf("%s: %+v %+v", name, e.Transaction, e.Spend)
		}
	}
	raw, err := solana.Unsigned(sponsored).Encode()
	if err != nil {
		t.Fatal(err)
	}
	p := c.solBytes(solOwn, solana.Memo("x"))
	p.UnsignedTransaction = chain.Hex(raw)
	if e := c.unstamped(p); e.Transaction == nil || e.Spend.MicroUSD != 1_501 { // 10,001 lamports at 150 USD
		t.Errorf("the payment of the scheme: %+v", e)
	}
	lookup := sponsored
	lookup.Lookups = []solana.Lookup{{Table: solana.Address{4}, Read: []uint8{0}}}
	if raw, err = solana.Unsigned(lookup).Encode(); err != nil {
		t.Fatal(err)
	}
	p.UnsignedTransaction = chain.Hex(raw)
	if e := c.unstamped(p); e.Transaction != nil {
		t.Error("a lookup table")
	}
}

// A passkey's stamp is for what the bytes say: what nobody understands passes no policy, although a delegation beside
// it lets it pass.
func TestSolana_L20_SettlementsAreTheDelegations(t *testing.T) {
	c := settling(t, "1", "10")
	if by := c.deniedBy(c.body(wire.SignTransaction, c.paysFor(1, foreign(payer)))); by != policy.UnknownCall {
		t.Errorf("stamped by a passkey: denied by %q", by)
	}
	// A second account's payer asks with the account that pays nothing.
	other := c.solBytes(solOther, foreign(solana.Account{Address: solAddress(solOwn), Signs: true}))
	if e := c.unstamped(other); e.Transaction != nil {
		t.Error("signed as who does not pay the fee")
	}
}

// The fees of a day are within what was stamped for a day.
func TestSolana_L20_SettlementsOfADay(t *testing.T) {
	c := settling(t, "1", "0.004") // two fees of 10,000 lamports are 0.003
	for i, signed := range []bool{true, true, false} {
		if e := c.unstamped(c.paysFor(byte(i), foreign(payer))); (e.Transaction != nil) != signed {
			t.Errorf("settlement %d: %s", i, e.Kind)
		}
	}
	if c = settling(t, "0.001", "1"); c.unstamped(c.paysFor(9, foreign(payer))).Transaction != nil {
		t.Error("a fee above the most of one")
	}
}
