package railkit

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/sdk/go/internal/charges"
)

var amountForm = regexp.MustCompile(`^([0-9]+)(?:\.([0-9]+))?$`)

func decimal(n uint64) string { return strconv.FormatUint(n, 10) }

// expectation is what a prepared transaction is held against.
type expectation struct {
	PrepareTransactionRequest
	sender
	limit    *big.Int             // nil: any fee
	replaces *wire.ReplacedParams // nil: nothing
	swap     *swapOf              // of a step of a swap
}

// expectation refuses, before the call, what could not be checked after it.
func (s *TransactionsService) expectation(req PrepareTransactionRequest) (*expectation, error) {
	e := &expectation{PrepareTransactionRequest: req, sender: sender{from: req.SignWith}}
	if s.c.verify == nil {
		if req.ExpectPayee != "" {
			return nil, errNoBook
		}
		return e, nil
	}
	signer := req.SignWith
	if uuid.Validate(signer) == nil { // of an account, which says nothing of its address
		signer = req.ExpectFrom
	}
	var err error
	if e.sender, err = s.c.sender(req.ChainID, req.Network, signer); err != nil {
		if errors.Is(err, errNoAddress) {
			err = fmt.Errorf("%w; set ExpectFrom to the address that has to sign", err)
		}
		return nil, err
	}
	return checked(e, e.bound())
}

// bound refuses a request that leaves open what it is for or what it may cost.
func (e *expectation) bound() (err error) {
	if e.Type == TransferToken && e.TokenAddress == "" { // to a family, a token without an address is the coin
		return errors.New("railkit: TokenAddress is missing")
	}
	if e.Type == Call && e.once() {
		return errNoCall
	}
	if e.limit, err = e.feeLimit(); err != nil {
		return err
	}
	_, err = e.mostSlippage()
	return err
}

func (e *expectation) activity() wire.ActivityType {
	if e.Type == SignExact {
		return wire.SignTransaction
	}
	return wire.SignIntent
}

// verified lets out a prepared transaction that is what was expected.
func (e *expectation) verified(
	ctx context.Context, c *Client, r *reply[PreparedTransaction],
) (*PreparedTransaction, error) {
	if c.verify == nil {
		return &r.Data, nil
	}
	return verified(ctx, c, r, e.activity(), func(body *wire.Body, shown *Preview) error {
		return e.match(body, shown, &r.Data)
	})
}

// match holds body, preview and answer against what was asked for.
func (e *expectation) match(body *wire.Body, shown *Preview, answer *PreparedTransaction) error {
	if !sameAddress(shown.SignWith, e.from) || !e.is(shown.ChainID, shown.Chain) {
		return tampered(ReasonPreview, "the enclave shows another sender or chain than was asked for")
	}
	if !sameAddress(answer.From, e.from) || !e.answered(answer.ChainID, answer.Network) {
		return tampered(ReasonResult, "the answer names another sender or chain than was asked for")
	}
	if err := e.matchFee(shown); err != nil {
		return err
	}
	if err := e.matchSlippage(shown); err != nil {
		return err
	}
	if err := e.matchExpectedPayee(shown); err != nil {
		return err
	}
	if e.Type == SignExact {
		return e.matchExact(body, shown)
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
	if !sameAddress(p.SignWith, e.from) || p.ChainID != e.network.ID() || p.Chain != shown.Chain ||
		p.MaxTotalFee != shown.MaxTotalFee {
		return tampered(ReasonBody, "the body names another sender, chain or fee than was asked for and shown")
	}
	if err := e.matchPlace(p.Replaces, shown); err != nil {
		return err
	}
	shown, err := e.withoutRent(p, shown)
	if err != nil {
		return err
	}
	switch {
	case e.swap != nil:
		return e.matchSwap(shown)
	case e.Type == TransferNative || e.Type == TransferToken:
		return e.matchTransfer(p, shown)
	default:
		return e.matchCall(p, shown)
	}
}

// matchTransfer wants the call with which the family moves the amount, and no other effect.
func (e *expectation) matchTransfer(p *wire.SignIntentParams, shown *Preview) error {
	asset, name := chain.Token{}, nativeAsset
	if e.Type == TransferToken {
		asset.Address, name = e.TokenAddress, e.TokenAddress
	}
	var err error
	if asset.Decimals, err = e.decimals(shown, name); err != nil {
		return err
	}
	units, err := toUnits(e.Amount, asset.Decimals)
	if err != nil {
		return err
	}
	amount, _ := new(big.Int).SetString(units, 10)
	call, err := e.family.Transfer(asset, e.To, amount)
	if err != nil {
		return fmt.Errorf("railkit: To: %w", err)
	}
	if !isCall(p, call.To, call.Value.String(), chain.Hex(call.Data)) || p.Transfer != nil && e.Type == TransferNative {
		return tampered(ReasonBody, "the body is not a transfer of the amount asked for to the receiver asked for")
	}
	if t := p.Transfer; t != nil && (!sameAddress(t.Token, name) || !sameAddress(t.To, e.To) || t.Amount != units) {
		return tampered(ReasonBody, "the body's words are of another transfer than was asked for")
	}
	return e.matchEffect(shown, name, units)
}

func isCall(p *wire.SignIntentParams, to, value, data string) bool {
	return sameAddress(p.To, to) && p.Value == value && sameBytes(p.Data, data)
}

// decimals of a token are the caller's, or the enclave's where its genesis lists the token.
func (e *expectation) decimals(shown *Preview, asset string) (int, error) {
	if asset == nativeAsset {
		return e.coinDecimals(), nil
	}
	if e.TokenDecimals != nil {
		return *e.TokenDecimals, nil
	}
	if len(shown.Effects) == 1 && shown.Effects[0].Symbol != "" && sameAddress(shown.Effects[0].Asset, asset) {
		return shown.Effects[0].Decimals, nil
	}
	return 0, tampered(ReasonPreview, "this token is not listed; set TokenDecimals to say what the amount means")
}

// matchEffect wants exactly one effect: this transfer.
func (e *expectation) matchEffect(shown *Preview, asset, units string) error {
	if len(shown.Effects) != 1 {
		return tampered(ReasonPreview,
			"the enclave shows %d effects where one transfer was asked for", len(shown.Effects))
	}
	f := shown.Effects[0]
	if f.Kind != chain.Transfer || !sameAddress(f.Asset, asset) || !sameAddress(f.From, e.from) ||
		!sameAddress(f.To, e.To) || f.Amount != units {
		return tampered(ReasonPreview, "the enclave shows another transfer than was asked for")
	}
	return nil
}

func (e *expectation) matchCall(p *wire.SignIntentParams, shown *Preview) (err error) {
	value := cmp.Or(e.Value, "0")
	if e.Value == "" && e.Amount != "" {
		if value, err = toUnits(e.Amount, e.coinDecimals()); err != nil {
			return err
		}
	}
	if !isCall(p, e.To, value, e.Data) {
		return tampered(ReasonBody, "the body is another call than was asked for")
	}
	for _, f := range shown.Effects {
		if f.Kind == chain.Transfer && f.Asset == nativeAsset && (!sameAddress(f.To, e.To) || f.Amount != value) {
			return tampered(ReasonPreview, "the enclave shows another value than was asked for")
		}
	}
	return nil
}

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

// DefaultFeeLimit is what a transaction may cost at most, in wei, where the request does not say FeeLimit: a tenth of
// the native coin. On Solana it is a tenth of SOL, and on Tron, where a transfer of a token burns some 13 TRX, 100 TRX.
// With GasLimit and MaxFeePerGas it is for the data fee alone, of networks that take one. The server proposes the fee,
// and a fee is paid to whoever makes the block: without a limit a server that was taken over could turn all that an
// address holds into fees.
const DefaultFeeLimit = "100000000000000000"

// defaultFeeLimit is that in the smallest unit of the network's coin, which may have other decimals than the family's.
func (s sender) defaultFeeLimit() *big.Int {
	form := s.family.Form()
	limit, _ := new(big.Int).SetString(form.HighFee, 10)
	limit.Mul(limit, powerOfTen(s.coinDecimals()))
	return limit.Div(limit, powerOfTen(form.CoinDecimals))
}

func powerOfTen(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// feeLimit is nil for exact bytes without a limit: the caller wrote their fee.
func (e *expectation) feeLimit() (*big.Int, error) {
	switch {
	case e.FeeLimit != "":
		return number("FeeLimit", e.FeeLimit)
	case e.Type == SignExact:
		return nil, nil
	case e.GasLimit != "" && e.MaxFeePerGas != "":
		gas, err := product(e.GasLimit, e.MaxFeePerGas) // which matchGas holds the body to
		if err != nil {
			return nil, err
		}
		return gas.Add(gas, e.defaultFeeLimit()), nil
	}
	return e.defaultFeeLimit(), nil
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
		return tampered(ReasonFee, "the transaction may cost %s %s, the limit is %s", fee, e.smallest(), e.limit)
	}
	return nil
}

// matchCharges holds the rent that is shown against the accounts that are opened, and the dollars of fee and rent.
func (e *expectation) matchCharges(shown *Preview, rents ...*big.Int) error {
	t := charges.Transaction{Rents: rents, Parts: e.once()}
	if e.Type == TransferNative {
		t.Paid, _ = chain.ParseUnits(e.Amount, e.coinDecimals()) // what is no amount is refused elsewhere
	}
	if err := charges.Check(shown, t); err != nil {
		return tampered(ReasonPreview, "%s", err)
	}
	return nil
}

// dataFee is what the enclave shows of the data fee. A server that keeps price sheets from
// the enclave has it show none: then a FeeLimit of the caller's own cannot be kept.
func (e *expectation) dataFee(shown *Preview) (*big.Int, error) {
	if shown.DataFee == "" {
		if e.FeeLimit != "" && e.network.DataFee {
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

// intOrZero reads a number of the enclave's, which is "" where it says none.
func intOrZero(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// DefaultMaxSlippage is by how many percent less than it sells a swap may bring back, where the request does not say
// MaxSlippagePercent.
const DefaultMaxSlippage json.Number = "3"

// SlippageError is a swap that was not stamped: it may bring back too little, by the enclave's signed prices, or nobody
// can tell how much.
type SlippageError struct {
	Percent string // of what is sold, "49"; "" where it is Unknown
	Unknown string // why nobody can tell: "no price of WETH"
	Limit   string // percent
}

func (e *SlippageError) Error() string {
	if e.Unknown != "" {
		return fmt.Sprintf("railkit: nobody can tell how much the swap may lose (%s); "+
			"set UnpricedSwap if it is meant so", e.Unknown)
	}
	return fmt.Sprintf("railkit: the swap may bring back %s %% less than it sells, the limit is %s %%; "+
		"ask for a higher Minimum, or set MaxSlippagePercent if it is meant so", e.Percent, e.Limit)
}

// percentPlaces are the decimals of a percentage: the enclave rounds up to as many, so that a comparison is exact.
const percentPlaces = 2

// mostSlippage is the limit of a swap's loss, in hundredths of a percent.
func (e *expectation) mostSlippage() (*big.Int, error) {
	most, err := chain.ParseUnits(e.slippageLimit(), percentPlaces)
	if err != nil {
		return nil, errors.New("railkit: MaxSlippagePercent is not a plain decimal with at most 2 places")
	}
	return most, nil
}

func (e *expectation) slippageLimit() string {
	return cmp.Or(e.MaxSlippagePercent, DefaultMaxSlippage).String()
}

// matchSlippage holds what a swap may lose, as the enclave shows it, against the limit. A server that keeps price
// sheets from the enclave has it show that nobody can tell.
func (e *expectation) matchSlippage(shown *Preview) error {
	swaps := slices.ContainsFunc(shown.Effects, func(f chain.Effect) bool { return f.Ends != 0 })
	if shown.Slippage == nil && !swaps {
		return nil
	}
	said := cmp.Or(shown.Slippage, &wire.Slippage{Unknown: "the enclave does not say"})
	if said.Unknown != "" {
		if e.UnpricedSwap {
			return nil
		}
		return &SlippageError{Unknown: said.Unknown, Limit: e.slippageLimit()}
	}
	most, err := e.mostSlippage()
	if err != nil {
		return err
	}
	lost, err := chain.ParseUnits(said.Percent, percentPlaces)
	if err != nil {
		return tampered(ReasonPreview, "the enclave shows a loss of the swap that is no number")
	}
	if lost.Cmp(most) > 0 {
		return &SlippageError{Percent: said.Percent, Limit: e.slippageLimit()}
	}
	return nil
}

// rulesStated are the members of the enclave's rules. A delegation without a key serves any request, whether it says
// so or is from before there was a word for it.
func rulesStated(w wire.Rules) (map[string]string, error) {
	if w.Delegation != nil {
		d := *w.Delegation
		d.AnyRequest = d.PublicKey == nil
		w.Delegation = &d
	}
	return members(w)
}

// members are rules by name, each in one spelling: that of the enclave, whose numbers and instants are texts, and whose
// names are those of the API.
func members(rules any) (map[string]string, error) {
	raw, err := json.Marshal(rules)
	if err != nil {
		return nil, fmt.Errorf("railkit: encoding rules: %w", err)
	}
	numbers := json.NewDecoder(bytes.NewReader(raw))
	numbers.UseNumber() // digit by digit
	var all map[string]any
	if err := numbers.Decode(&all); err != nil {
		return nil, fmt.Errorf("railkit: reading rules: %w", err)
	}
	if d, is := all["delegation"].(map[string]any); is && d["expiresAt"] != nil {
		at, err := time.Parse(time.RFC3339, fmt.Sprint(d["expiresAt"]))
		if err != nil {
			return nil, fmt.Errorf("railkit: ExpiresAt of a delegation: %w", err)
		}
		d["expiresAtMs"] = strconv.FormatInt(at.UnixMilli(), 10)
		delete(d, "expiresAt")
	}
	texts := map[string]string{}
	for name, value := range all {
		one, err := json.Marshal(oneSpelling(value))
		if err != nil {
			return nil, fmt.Errorf("railkit: encoding rules: %w", err)
		}
		texts[name] = string(one)
	}
	return texts, nil
}

// oneSpelling writes addresses as their families look them up, other texts in lower case, and numbers as texts.
func oneSpelling(value any) any {
	switch v := value.(type) {
	case json.Number:
		return v.String()
	case string:
		if _, f, ok := families.ParseAddress(v); ok {
			return f.Lookup(v)
		}
		return strings.ToLower(v)
	case []any:
		for i := range v {
			v[i] = oneSpelling(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = oneSpelling(v[name])
		}
	}
	return value
}
