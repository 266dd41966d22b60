package railkit

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

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
func (s *TransactionsService) expectation(req PrepareTransactionRequest) (*expectation, error) {
	e := &expectation{PrepareTransactionRequest: req, from: req.SignWith}
	if s.c.verify == nil {
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
	if !sameHex(p.SignWith, e.from) || p.ChainID != decimal(e.ChainID) || p.Chain != shown.Chain ||
		p.MaxTotalFee != shown.MaxTotalFee {
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
	if !sameHex(p.SignWith, e.from) || p.ChainID != decimal(e.ChainID) ||
		!sameHex(p.UnsignedTransaction, e.UnsignedTransaction) {
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
		return tampered(ReasonPreview,
			"the enclave shows %d effects where one transfer was asked for", len(shown.Effects))
	}
	f := shown.Effects[0]
	if f.Kind != chain.Transfer || !sameHex(f.Asset, asset) || !sameHex(f.From, e.from) ||
		!sameHex(f.To, e.To) || f.Amount != units {
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

// DefaultFeeLimit is what a transaction may cost at most, in wei, where the
// request does not say FeeLimit: a tenth of the native coin. With GasLimit and
// MaxFeePerGas it is for the data fee alone, of networks that take one. The server
// proposes the fee, and a fee is paid to whoever makes the block: without a limit a
// server that was taken over could turn all that an address holds into fees.
const DefaultFeeLimit = "100000000000000000"

// feeLimit is nil for exact bytes without a limit: the caller wrote their fee.
func feeLimit(req PrepareTransactionRequest) (*big.Int, error) {
	switch {
	case req.FeeLimit != "":
		return number("FeeLimit", req.FeeLimit)
	case req.Type == SignExact:
		return nil, nil
	case req.GasLimit != "" && req.MaxFeePerGas != "":
		gas, err := product(req.GasLimit, req.MaxFeePerGas) // which matchGas holds the body to
		if err != nil {
			return nil, err
		}
		data, err := number("DefaultFeeLimit", DefaultFeeLimit)
		return gas.Add(gas, data), err
	}
	return number("DefaultFeeLimit", DefaultFeeLimit)
}

func product(gas, price string) (*big.Int, error) {
	g, err := number("GasLimit", gas)
	if err != nil {
		return nil, err
	}
	p, err := number("MaxFeePerGas", price)
	if err != nil {
		return nil, err
	}
	return g.Mul(g, p), nil
}

func number(field, text string) (*big.Int, error) {
	n, ok := new(big.Int).SetString(text, 10)
	if !ok || n.Sign() < 0 {
		return nil, errors.New("railkit: " + field + " is not a decimal number")
	}
	return n, nil
}

// matchFee holds the most that the transaction may cost, gas and data, against the limit.
func (e *expectation) matchFee(shown *Preview) error {
	if e.limit == nil {
		return nil
	}
	fee, ok := new(big.Int).SetString(shown.MaxTotalFee, 10)
	if !ok {
		return tampered(ReasonPreview, "the enclave shows no highest fee")
	}
	data, err := e.dataFee(shown)
	if err != nil {
		return err
	}
	if fee.Add(fee, data).Cmp(e.limit) > 0 {
		return tampered(ReasonFee, "the transaction may cost %s wei, the limit is %s", fee, e.limit)
	}
	return nil
}

// dataFee is what the enclave shows of the data fee. A server that keeps price sheets from
// the enclave has it show none: then a FeeLimit of the caller's own cannot be kept.
func (e *expectation) dataFee(shown *Preview) (*big.Int, error) {
	if shown.DataFee == "" {
		if e.FeeLimit != "" && networkOf(e.ChainID).DataFee {
			return nil, tampered(ReasonFee,
				"the network takes a data fee, and the enclave does not know how much: FeeLimit cannot be kept")
		}
		return new(big.Int), nil
	}
	data, ok := new(big.Int).SetString(shown.DataFee, 10)
	if !ok || data.Sign() < 0 {
		return nil, tampered(ReasonPreview, "the enclave shows a data fee that is no number")
	}
	return data, nil
}

// matchGas holds the body's gas against what the request says of it.
func (e *expectation) matchGas(p *wire.SignIntentParams) error {
	if e.GasLimit != "" && p.GasLimit != e.GasLimit {
		return tampered(ReasonBody, "the body has another gas limit than was asked for")
	}
	if e.MaxFeePerGas == "" {
		return nil
	}
	most, err := product(p.GasLimit, e.MaxFeePerGas)
	if err != nil {
		return tampered(ReasonBody, "the body's gas limit or the price asked for is not a number")
	}
	if fee, ok := new(big.Int).SetString(p.MaxTotalFee, 10); !ok || fee.Cmp(most) > 0 {
		return tampered(ReasonFee, "the transaction may cost more than its gas at the price that was asked for")
	}
	return nil
}

// matchPolicy holds an answer against the enclave's own words.
func matchPolicy(p *Policy, st *opened) error {
	w := st.Result.Policy
	if w == nil || w.ID != p.ID || w.WalletID != p.WalletID || st.OrganizationID != p.SubOrganizationID {
		return tampered(ReasonResult, "the answer names another policy than the enclave's")
	}
	return matchRules(w.Rules, p.Rules)
}

// matchRules holds rules of the enclave against those that were asked for.
func matchRules(w wire.Rules, asked PolicyRules) error {
	is, err := members(rulesOf(w))
	if err != nil {
		return err
	}
	want, err := members(asked)
	if err != nil {
		return err
	}
	if len(is) != len(want) {
		return tampered(ReasonBody, "the rules are others than were asked for")
	}
	return sameMembers(is, want)
}

// matchPatch is matchRules for what a patch names.
func matchPatch(w wire.Rules, asked RulesPatch) error {
	is, err := members(rulesOf(w))
	if err != nil {
		return err
	}
	raw, err := json.Marshal(asked)
	if err != nil {
		return fmt.Errorf("railkit: encoding rules: %w", err)
	}
	var named PolicyRules
	if err := json.Unmarshal(raw, &named); err != nil {
		return fmt.Errorf("railkit: reading rules: %w", err)
	}
	want, err := members(named)
	if err != nil {
		return err
	}
	for name := range asked {
		if _, stays := want[name]; !stays && is[name] != "" {
			return tampered(ReasonBody, "the rules keep what was to be taken away")
		}
	}
	return sameMembers(is, want)
}

func sameMembers(is, want map[string]string) error {
	for name, value := range want {
		if is[name] != value {
			return tampered(ReasonBody, "the rules are others than were asked for")
		}
	}
	return nil
}

// members are rules by name, each in one spelling.
func members(r PolicyRules) (map[string]string, error) {
	if r.Delegation != nil {
		d := *r.Delegation
		at, err := time.Parse(time.RFC3339, d.ExpiresAt)
		if err != nil {
			return nil, fmt.Errorf("railkit: ExpiresAt of a delegation: %w", err)
		}
		d.ExpiresAt = at.UTC().Truncate(time.Millisecond).Format(time.RFC3339Nano)
		r.Delegation = &d
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("railkit: encoding rules: %w", err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, fmt.Errorf("railkit: reading rules: %w", err)
	}
	texts := map[string]string{}
	for name, value := range all {
		var compact bytes.Buffer
		if err := json.Compact(&compact, value); err != nil {
			return nil, fmt.Errorf("railkit: reading rules: %w", err)
		}
		texts[name] = strings.ToLower(compact.String()) // addresses differ in case by their checksum only
	}
	return texts, nil
}

func rulesOf(w wire.Rules) PolicyRules {
	r := PolicyRules{
		MaxValueUSD: json.Number(w.MaxValueUSD), DailyUSD: json.Number(w.DailyUSD),
		MonthlyUSD: json.Number(w.MonthlyUSD), AllowedDestinations: w.AllowedDestinations,
		AllowedChains: w.AllowedChains, AllowedTokens: w.AllowedTokens, AllowedContracts: w.AllowedContracts,
		AllowRawDigests: w.AllowRawDigests,
	}
	if d := w.Delegation; d != nil {
		ms, _ := strconv.ParseInt(d.ExpiresAtMs, 10, 64) // what is no number is no time that was asked for
		seconds, _ := strconv.Atoi(d.MaxValiditySeconds) // "" where the delegation does not say
		r.Delegation = &Delegation{
			PublicKey: d.Key(), AnyRequest: d.PublicKey == nil, MaxValiditySeconds: seconds,
			ExpiresAt: time.UnixMilli(ms).UTC().Format(time.RFC3339Nano), MaxValueUSD: json.Number(d.MaxValueUSD),
			DailyUSD: json.Number(d.DailyUSD), AllowedDestinations: d.AllowedDestinations,
		}
	}
	return r
}
