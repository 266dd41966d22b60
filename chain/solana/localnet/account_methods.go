package localnet

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/ledger"
)

func balance(l look, q call) (any, error) {
	at, o, err := q.addressed()
	if err != nil {
		return nil, err
	}
	a, _ := l.account(at, o.Commitment)
	return l.within(o, a.Lamports)
}

func accountInfo(l look, q call) (any, error) {
	at, o, err := q.addressed()
	if err != nil {
		return nil, err
	}
	form, err := l.accountForm(at, o)
	if err != nil {
		return nil, err
	}
	return l.within(o, form)
}

func multipleAccounts(l look, q call) (any, error) {
	texts, o, err := q.listed(mostAccounts)
	if err != nil {
		return nil, err
	}
	all := make([]any, len(texts))
	for i, t := range texts {
		at, err := address(t)
		if err != nil {
			return nil, err
		}
		if all[i], err = l.accountForm(at, o); err != nil {
			return nil, err
		}
	}
	return l.within(o, all)
}

// accountForm is an account as a node shows it; nil where there is none.
func (l look) accountForm(at solana.Address, o options) (any, error) {
	a, found := l.account(at, o.Commitment)
	if !found {
		return nil, nil
	}
	return l.form(a, o)
}

func (l look) form(a ledger.Account, o options) (any, error) {
	form := object{
		"lamports": a.Lamports, "owner": a.Owner.String(), "executable": a.Owner == loader, "rentEpoch": 0,
		"space": len(a.Data),
	}
	data := a.Data
	if s := o.Slice; s != nil && o.Encoding != "jsonParsed" {
		from := min(max(0, s.Offset), len(data))
		data = data[from:min(from+max(0, s.Length), len(data))]
	}
	switch o.Encoding {
	case "", "binary":
		form["data"] = chain.Base58(data)
	case "base58":
		form["data"] = []string{chain.Base58(data), o.Encoding}
	case "base64":
		form["data"] = []string{base64.StdEncoding.EncodeToString(data), o.Encoding}
	case "jsonParsed":
		form["data"] = l.parsed(a, o.Commitment)
	default:
		return nil, refuse(codeParams, "Invalid params: the encoding %q is not served here", o.Encoding)
	}
	return form, nil
}

// parsed is what the data of an account say. Those that are not of the Token program are shown as base64, as nodes do.
func (l look) parsed(a ledger.Account, commitment string) any {
	if t, ok := readToken(a); ok {
		return program(a, "account", object{
			"mint": t.mint.String(), "owner": t.owner.String(), "state": t.state, "isNative": t.native,
			"tokenAmount": amountForm(t.amount, l.decimals(t.mint, commitment)),
		})
	}
	if m, ok := readMint(a); ok {
		return program(a, "mint", object{
			"decimals": m.decimals, "supply": strconv.FormatUint(m.supply, 10), "isInitialized": true,
			"mintAuthority": m.authority, "freezeAuthority": m.freezes,
		})
	}
	return []string{base64.StdEncoding.EncodeToString(a.Data), "base64"}
}

func program(a ledger.Account, kind string, info object) any {
	return object{"program": "spl-token", "space": len(a.Data), "parsed": object{"type": kind, "info": info}}
}

// tokenAccount is what a token account says.
type tokenAccount struct {
	mint, owner solana.Address
	amount      uint64
	state       string
	native      bool
}

func readToken(a ledger.Account) (t tokenAccount, ok bool) {
	if a.Owner != solana.TokenProgram || len(a.Data) != accountSize || a.Data[108] == 0 {
		return t, false
	}
	t.mint, t.owner = solana.Address(a.Data[:32]), solana.Address(a.Data[32:64])
	t.amount, t.state = binary.LittleEndian.Uint64(a.Data[64:]), "initialized"
	if a.Data[108] == 2 {
		t.state = "frozen"
	}
	t.native = a.Data[109] == 1
	return t, true
}

type mintAccount struct {
	decimals           uint8
	supply             uint64
	authority, freezes any // text, or nil
}

func readMint(a ledger.Account) (m mintAccount, ok bool) {
	if a.Owner != solana.TokenProgram || len(a.Data) != mintSize || a.Data[45] != 1 {
		return m, false
	}
	m.supply, m.decimals = binary.LittleEndian.Uint64(a.Data[36:]), a.Data[44]
	if a.Data[0] == 1 {
		m.authority = solana.Address(a.Data[4:36]).String()
	}
	if a.Data[46] == 1 {
		m.freezes = solana.Address(a.Data[50:82]).String()
	}
	return m, true
}

func (l look) decimals(mint solana.Address, commitment string) uint8 {
	a, _ := l.account(mint, commitment)
	m, _ := readMint(a)
	return m.decimals
}

// amountForm is an amount in the four spellings of nodes.
func amountForm(n uint64, decimals uint8) object {
	text := fmt.Sprintf("%0*d", int(decimals)+1, n)
	if decimals > 0 {
		point := len(text) - int(decimals)
		text = strings.TrimSuffix(strings.TrimRight(text[:point]+"."+text[point:], "0"), ".")
	}
	float, _ := strconv.ParseFloat(text, 64)
	return object{
		"amount": strconv.FormatUint(n, 10), "decimals": decimals, "uiAmount": float, "uiAmountString": text,
	}
}

func tokenBalance(l look, q call) (any, error) {
	at, o, err := q.addressed()
	if err != nil {
		return nil, err
	}
	a, _ := l.account(at, o.Commitment)
	t, ok := readToken(a)
	if !ok {
		return nil, refuse(codeParams, "Invalid param: could not find account")
	}
	return l.within(o, amountForm(t.amount, l.decimals(t.mint, o.Commitment)))
}

func tokenSupply(l look, q call) (any, error) {
	at, o, err := q.addressed()
	if err != nil {
		return nil, err
	}
	a, _ := l.account(at, o.Commitment)
	m, ok := readMint(a)
	if !ok {
		return nil, refuse(codeParams, "Invalid param: not a Token mint")
	}
	return l.within(o, amountForm(m.supply, m.decimals))
}

// tokenAccounts are those of an owner, of one mint or of one token program.
func tokenAccounts(l look, q call) (any, error) {
	owner, err := q.address(0)
	if err != nil {
		return nil, err
	}
	filter, err := q.options(1)
	if err != nil {
		return nil, err
	}
	o, err := q.options(2)
	if err != nil {
		return nil, err
	}
	if filter.Mint == "" && filter.ProgramID == "" {
		return nil, refuse(codeParams, "Invalid params: mint or programId")
	}
	all := []any{}
	for _, k := range l.addresses() {
		a, _ := l.account(k, o.Commitment)
		t, ok := readToken(a)
		if !ok || t.owner != owner || filter.Mint != "" && filter.Mint != t.mint.String() ||
			filter.ProgramID != "" && filter.ProgramID != a.Owner.String() {
			continue
		}
		form, err := l.form(a, o)
		if err != nil {
			return nil, err
		}
		all = append(all, object{"pubkey": k.String(), "account": form})
	}
	return l.within(o, all)
}
