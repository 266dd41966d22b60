package wire

import (
	"math/big"
	"regexp"
	"strconv"
	"time"
)

// MPrices hands in a price sheet: PricesRequest, PricesReply.
const MPrices = "Prices"

// SignedSheet is a price sheet under the price key that was sealed at genesis.
type SignedSheet struct {
	Payload   string `json:"payload"`   // JSON text of a Sheet: the very bytes that are signed
	Signature string `json:"signature"` // base64url of r||s, P-256 over SHA-256("railkit prices v1\n" + Payload)
}

// MaxSheetLife is how long after its time a sheet may be good for at most.
const MaxSheetLife = 15 * time.Minute

// Sheet is what assets were worth, and what networks took for data. Numbers are
// decimal text.
type Sheet struct {
	Environment string    `json:"environment"`
	AsOfMs      string    `json:"asOfMs"`
	ExpiresAtMs string    `json:"expiresAtMs"` // at most 15 minutes after AsOfMs
	Prices      []Price   `json:"prices"`
	DataFees    []DataFee `json:"dataFees,omitempty"`
}

// Price is what one whole unit of an asset is worth.
type Price struct {
	Asset string `json:"asset"` // symbol of a coin or token that the environment's networks list
	USD   string `json:"usd"`   // plain decimal, more than zero, at most 18 places
}

// isPrice matches a plain decimal, without sign, exponent or leading zero.
var isPrice = regexp.MustCompile(`^(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?$`)

// ParsePrice reads Price.USD.
func ParsePrice(text string) (*big.Rat, bool) {
	if !isPrice.MatchString(text) {
		return nil, false
	}
	r, ok := new(big.Rat).SetString(text)
	return r, ok && r.Sign() > 0
}

// DataFee is the most that a network takes for one byte of a signed transaction, beside
// gas by price: an upper bound of the L1 data fee of an OP-stack chain.
type DataFee struct {
	Chain      string `json:"chain"`      // slug of a network that the environment lists
	WeiPerByte string `json:"weiPerByte"` // whole number within MinWeiPerByte and MaxWeiPerByte
}

// A data fee outside of these bounds is a mistake, or a lie. At an L1 base fee of 1 gwei
// and blobs for nothing, base takes 36,000,000 wei for a byte; at 1,000 gwei for the gas
// and for the blobs, about 1.1e12. Testnets took 17,000 while their L1 was nearly free.
const (
	MinWeiPerByte = 1_000
	MaxWeiPerByte = 100_000_000_000_000
)

// isWeiPerByte matches a whole number of at most 15 digits, without leading zero.
var isWeiPerByte = regexp.MustCompile(`^[1-9][0-9]{0,14}$`)

// ParseWeiPerByte reads DataFee.WeiPerByte.
func ParseWeiPerByte(text string) (int64, bool) {
	if !isWeiPerByte.MatchString(text) {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && n >= MinWeiPerByte && n <= MaxWeiPerByte
}

// PricesRequest hands in a sheet. One that comes again, or within ten seconds of
// the last, changes nothing.
type PricesRequest struct {
	Sheet SignedSheet `json:"sheet"`
}

// PricesReply says which prices and data fees count now.
type PricesReply struct {
	Assets   []AssetPrice     `json:"assets"`
	DataFees []NetworkDataFee `json:"dataFees"`
}

// NetworkDataFee is the data fee that the signer goes by: the newest signed one, or half
// of what it was an hour ago where that is more.
type NetworkDataFee struct {
	DataFee
	AsOf      string `json:"asOf"`
	ExpiresAt string `json:"expiresAt"`
	Refused   string `json:"refused,omitempty"` // why nothing is known of the network's data fee
}

// AssetPrice is the newest signed price of an asset. One that moved too far from
// the last accepted does not count until a passkey says so, for its organization.
type AssetPrice struct {
	Price
	AsOf      string `json:"asOf"`
	ExpiresAt string `json:"expiresAt"`
	Refused   string `json:"refused,omitempty"` // why it does not count
}

// OverridePriceParams lets a price count for the organization although it moved:
// the newest signed one, as long as it is near this one.
type OverridePriceParams struct {
	Asset string `json:"asset"`
	USD   string `json:"usd"`
}
