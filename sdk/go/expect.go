package railkit

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
)

// nativeDecimals is the same on every EVM network.
const nativeDecimals = 18

var (
	addressForm = regexp.MustCompile(`^0x[0-9a-fA-F]{40}$`)
	amountForm  = regexp.MustCompile(`^([0-9]+)(?:\.([0-9]+))?$`)
)

func decimal(n uint64) string { return strconv.FormatUint(n, 10) }

// expectation is what a prepared transaction is held against.
type expectation struct {
	PrepareTransactionRequest
	from     string
	limit    *big.Int             // nil: any fee
	replaces *wire.ReplacedParams // nil: nothing
}

// expectation refuses, before the call, what could not be checked after it.
func (c *Client) expectation(req PrepareTransactionRequest) (*expectation, error) {
	e := &expectation{PrepareTransactionRequest: req, from: req.SignWith}
	if c.verify == nil {
		return e, nil
	}
	if !addressForm.MatchString(e.from) {
		e.from = req.ExpectFrom
	}
	if !addressForm.MatchString(e.from) {
		return nil, errors.New("railkit: SignWith is not an address; set ExpectFrom to the address that has to sign")
	}
	var err error
	if e.limit, err = feeLimit(req); err != nil {
		return nil, err
	}
	return e, nil
}

func (e *expectation) activity() wire.ActivityType {
	if e.Type == SignExact {
		return wire.SignTransaction
	}
	return wire.SignIntent
}

// match holds body, preview and answer against what was asked for.
func (e *expectation) match(body *wire.Body, shown *Preview, answer *PreparedTransaction) error {
	if !sameHex(shown.SignWith, e.from) || shown.ChainID != decimal(e.ChainID) {
		return tampered(ReasonPreview, "the enclave shows another sender or chain than was asked for")
	}
	if !sameHex(answer.From, e.from) || answer.ChainID != e.ChainID {
		return tampered(ReasonResult, "the answer names another sender or chain than was asked for")
	}
	if err := e.matchFee(shown); err != nil {
		return err
	}
	if e.Type == SignExact {
		return e.matchExact(body)
	}
	var p wire.SignIntentParams
	if err := readParams(body, &p); err != nil {
		return err
	}
	return e.matchIntent(&p, shown)
}

// matchIntent holds the words of a body and what is shown of it against what was
// asked for.
func (e *expectation) matchIntent(p *wire.SignIntentParams, shown *Preview) error {
	if err := e.matchGas(p); err != nil {
		return err
	}
	if !sameHex(p.SignWith, e.from) || p.ChainID != decimal(e.ChainID) || p.Chain != shown.Chain || p.MaxTotalFee != shown.MaxTotalFee {
		return tampered(ReasonBody, "the body names another sender, chain or fee than was asked for and shown")
	}
	if err := e.matchPlace(p.Replaces, shown); err != nil {
		return err
	}
	switch e.Type {
	case TransferNative:
		return e.matchNative(p, shown)
	case TransferToken:
		return e.matchToken(p, shown)
	default:
		return e.matchCall(p, shown)
	}
}

func (e *expectation) matchExact(body *wire.Body) error {
	var p wire.SignTransactionParams
	if err := readParams(body, &p); err != nil {
		return err
	}
	if !sameHex(p.SignWith, e.from) || p.ChainID != decimal(e.ChainID) || !sameHex(p.UnsignedTransaction, e.UnsignedTransaction) {
		return tampered(ReasonBody, "the body is for other bytes than was asked for")
	}
	return nil
}

func (e *expectation) matchNative(p *wire.SignIntentParams, shown *Preview) error {
	units, err := toUnits(e.Amount, nativeDecimals)
	if err != nil {
		return err
	}
	if !sameHex(p.To, e.To) || p.Value != units || !isEmptyData(p.Data) || p.Transfer != nil {
		return tampered(ReasonBody, "the body is not a transfer of the amount asked for to the receiver asked for")
	}
	return e.matchTransfer(shown, "native", units)
}

func (e *expectation) matchToken(p *wire.SignIntentParams, shown *Preview) error {
	decimals, err := e.decimals(shown)
	if err != nil {
		return err
	}
	units, err := toUnits(e.Amount, decimals)
	if err != nil {
		return err
	}
	data, err := transferData(e.To, units)
	if err != nil {
		return err
	}
	if !sameHex(p.To, e.TokenAddress) || p.Value != "0" || !sameHex(p.Data, data) {
		return tampered(ReasonBody, "the body is not a transfer of the amount asked for to the receiver asked for")
	}
	if t := p.Transfer; t != nil && (!sameHex(t.Token, e.TokenAddress) || !sameHex(t.To, e.To) || t.Amount != units) {
		return tampered(ReasonBody, "the body's words are of another transfer than was asked for")
	}
	return e.matchTransfer(shown, e.TokenAddress, units)
}

// decimals are the enclave's for a token its genesis lists, the caller's else.
func (e *expectation) decimals(shown *Preview) (int, error) {
	if e.TokenDecimals != nil {
		return *e.TokenDecimals, nil
	}
	if len(shown.Effects) == 1 && shown.Effects[0].Symbol != "" {
		return shown.Effects[0].Decimals, nil
	}
	return 0, tampered(ReasonPreview, "this token is not listed; set TokenDecimals to say what the amount means")
}

// matchTransfer wants exactly one effect: this one.
func (e *expectation) matchTransfer(shown *Preview, asset, units string) error {
	if len(shown.Effects) != 1 {
		return tampered(ReasonPreview, "the enclave shows %d effects where one transfer was asked for", len(shown.Effects))
	}
	f := shown.Effects[0]
	if f.Kind != chain.Transfer || !sameHex(f.Asset, asset) || !sameHex(f.From, e.from) || !sameHex(f.To, e.To) || f.Amount != units {
		return tampered(ReasonPreview, "the enclave shows another transfer than was asked for")
	}
	return nil
}

func (e *expectation) matchCall(p *wire.SignIntentParams, shown *Preview) error {
	value := e.Value
	if value == "" {
		value = "0"
	}
	if e.Value == "" && e.Amount != "" {
		units, err := toUnits(e.Amount, nativeDecimals)
		if err != nil {
			return err
		}
		value = units
	}
	if !sameHex(p.To, e.To) || !sameHex(p.Data, e.Data) || p.Value != value {
		return tampered(ReasonBody, "the body is another call than was asked for")
	}
	for _, f := range shown.Effects {
		if f.Kind == chain.Transfer && f.Asset == "native" && (!sameHex(f.To, e.To) || f.Amount != value) {
			return tampered(ReasonPreview, "the enclave shows another value than was asked for")
		}
	}
	return nil
}

func isEmptyData(data string) bool { return data == "" || data == "0x" }

// toUnits turns decimal text into the asset's smallest unit, exactly.
func toUnits(amount string, decimals int) (string, error) {
	m := amountForm.FindStringSubmatch(amount)
	if m == nil || decimals < 0 || decimals > 77 {
		return "", errors.New("railkit: Amount is not a decimal number such as 25.50")
	}
	fraction := strings.TrimRight(m[2], "0")
	if len(fraction) > decimals {
		return "", fmt.Errorf("railkit: Amount has more than the %d decimals of the asset", decimals)
	}
	n, ok := new(big.Int).SetString(m[1]+fraction+strings.Repeat("0", decimals-len(fraction)), 10)
	if !ok || n.BitLen() > 256 {
		return "", errors.New("railkit: Amount is too large")
	}
	return n.String(), nil
}

// transferData is the calldata of ERC-20 transfer(address,uint256).
func transferData(to, units string) (string, error) {
	n, ok := new(big.Int).SetString(units, 10)
	if !ok || !addressForm.MatchString(to) {
		return "", errors.New("railkit: To is not an address")
	}
	var amount [32]byte
	n.FillBytes(amount[:])
	return "0xa9059cbb" + strings.Repeat("0", 24) + strings.ToLower(to[2:]) + hex.EncodeToString(amount[:]), nil
}
