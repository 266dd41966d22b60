package railkit

import (
	"errors"
	"math/big"

	"github.com/railkit/railkit/enclave/wire"
)

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
			return nil, tampered(ReasonFee, "the network takes a data fee, and the enclave does not know how much: FeeLimit cannot be kept")
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
