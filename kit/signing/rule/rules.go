package rule

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/decimal"
)

// Rules are the rules of a policy, in the words of the API. The enclave reads and enforces them; the server only
// changes their spelling, such as that of addresses.
type Rules struct {
	MaxValueUSD         decimal.Number    `json:"maxValueUsd,omitzero" minimum:"0" maximum:"1000000000000" doc:"Of one transaction, its highest fee included"`
	DailyUSD            decimal.Number    `json:"dailyUsd,omitzero" minimum:"0" maximum:"1000000000000" doc:"Of a UTC day, over everything that the wallet signs"`
	MonthlyUSD          decimal.Number    `json:"monthlyUsd,omitzero" minimum:"0" maximum:"1000000000000" doc:"Of a UTC calendar month, likewise"`
	AllowedDestinations []string          `json:"allowedDestinations,omitempty" minItems:"1" maxItems:"100" doc:"Who may get something, or be allowed to take it; absent: anybody"`
	AllowedChains       []string          `json:"allowedChains,omitempty" minItems:"1" maxItems:"100" doc:"Slugs"`
	AllowedTokens       []string          `json:"allowedTokens,omitempty" minItems:"1" maxItems:"100" doc:"Symbols of listed tokens and coins, or addresses of contracts"`
	AllowedContracts    []AllowedContract `json:"allowedContracts,omitempty" minItems:"1" maxItems:"100" doc:"Calls that pass although nobody understands them"`
	AllowRawDigests     bool              `json:"allowRawDigests,omitzero" doc:"Lets the wallet sign what cannot be read; cannot stand beside a limit"`
	PayeesOnly          bool              `json:"payeesOnly,omitzero" doc:"Who gets something, may take it, or is called, is in the book of payees on that network"`
	PayeeCoolingHours   int               `json:"payeeCoolingHours,omitzero" minimum:"1" maximum:"720" doc:"With payeesOnly: how long a payee is in the book before it is paid"`
	MaxSlippagePercent  decimal.Number    `json:"maxSlippagePercent,omitzero" minimum:"0" maximum:"50" doc:"By how many percent less than it sells a swap may bring back at least, in signed prices. At most 2 places"`
	Delegation          *Delegation       `json:"delegation,omitempty" doc:"Lets the wallet sign without a passkey, within these bounds"`
}

// wire puts rules into the enclave's words, with the canonical spelling of addresses.
func (r Rules) wire() (w wire.Rules, err error) {
	read := fieldParser{}
	w = wire.Rules{
		MaxValueUSD: read.usd("rules.maxValueUsd", r.MaxValueUSD), DailyUSD: read.usd("rules.dailyUsd", r.DailyUSD),
		MonthlyUSD:          read.usd("rules.monthlyUsd", r.MonthlyUSD),
		AllowedDestinations: read.addresses("rules.allowedDestinations", r.AllowedDestinations),
		AllowedChains:       r.AllowedChains, AllowedTokens: read.tokens("rules.allowedTokens", r.AllowedTokens),
		AllowRawDigests: r.AllowRawDigests, PayeesOnly: r.PayeesOnly,
		PayeeCoolingHours:  read.cooling("rules", r.PayeesOnly, r.PayeeCoolingHours),
		MaxSlippagePercent: read.percent("rules.maxSlippagePercent", r.MaxSlippagePercent),
	}
	for i, c := range r.AllowedContracts {
		at := fmt.Sprintf("rules.allowedContracts[%d].address", i)
		w.AllowedContracts = append(w.AllowedContracts,
			wire.AllowedContract{Chain: c.Chain, Address: read.address(at, c.Address), Selectors: c.Selectors})
	}
	w.Delegation = r.Delegation.wire(&read)
	return w, read.err
}

// AllowedContract names functions of a contract.
type AllowedContract struct {
	Chain     string   `json:"chain" minLength:"1" maxLength:"32"`
	Address   string   `json:"address" minLength:"1" maxLength:"64"`
	Selectors []string `json:"selectors" minItems:"1" maxItems:"100" doc:"0x and 8 hex digits"`
}

// Delegation bounds what is signed without a passkey.
type Delegation struct {
	_                   struct{}       `nullable:"true"`
	PublicKey           *string        `json:"publicKey,omitempty" minLength:"66" maxLength:"66" doc:"P-256, compressed hex: only requests under its X-Stamp. Needed unless anyRequest is true"`
	AnyRequest          bool           `json:"anyRequest,omitempty" doc:"In the place of publicKey: any request of the server can use the delegation, so that whoever runs the server, or takes it over, signs within its limits"`
	ExpiresAt           string         `json:"expiresAt" format:"date-time" doc:"At most 90 days ahead"`
	MaxValiditySeconds  int            `json:"maxValiditySeconds,omitempty" minimum:"1" maximum:"86400" doc:"How long typed data that is signed under the delegation may be valid, from now; never beyond expiresAt. Absent: 14400, which is 4 hours"`
	MaxValueUSD         decimal.Number `json:"maxValueUsd" minimum:"0" maximum:"1000000000000"`
	DailyUSD            decimal.Number `json:"dailyUsd" minimum:"0" maximum:"1000000000000"`
	AllowedDestinations []string       `json:"allowedDestinations,omitempty" minItems:"1" maxItems:"100" doc:"Needed unless payeesOnly or settlementsOnly is true"`
	SettlementsOnly     bool           `json:"settlementsOnly,omitempty" doc:"Covers only transfers that their owners signed for anybody to hand in (EIP-3009, x402's proxies of Permit2), to whomever they signed them"`
	PayeesOnly          bool           `json:"payeesOnly,omitempty" doc:"Destinations are in the book of payees, also those that are added to it later"`
	PayeeCoolingHours   int            `json:"payeeCoolingHours,omitempty" minimum:"1" maximum:"720" doc:"With payeesOnly: how long a payee is in the book before it is paid"`
}

func (d *Delegation) wire(read *fieldParser) *wire.Delegation {
	if d == nil {
		return nil
	}
	expires, err := time.Parse(time.RFC3339, d.ExpiresAt)
	if err != nil {
		read.fail(fault.Field("rules.delegation.expiresAt", "must be an ISO 8601 date and time"))
	}
	switch {
	case d.PublicKey == nil && !d.AnyRequest:
		read.fail(fault.Field("rules.delegation.publicKey",
			"is required; a delegation that any request of the server can use says anyRequest: true"))
	case d.PublicKey != nil && d.AnyRequest:
		read.fail(fault.Field("rules.delegation.anyRequest", "must not be true beside publicKey"))
	case d.PublicKey != nil && *d.PublicKey == "":
		read.fail(fault.Field("rules.delegation.publicKey", "must not be empty"))
	}
	switch {
	case d.SettlementsOnly && (d.PayeesOnly || len(d.AllowedDestinations) > 0):
		read.fail(fault.Field("rules.delegation.settlementsOnly",
			"must not be true beside allowedDestinations or payeesOnly"))
	case !d.SettlementsOnly && !d.PayeesOnly && len(d.AllowedDestinations) == 0:
		read.fail(fault.Field("rules.delegation.allowedDestinations",
			"is required where neither payeesOnly nor settlementsOnly is true"))
	}
	return &wire.Delegation{
		PublicKey: d.PublicKey, AnyRequest: d.AnyRequest, ExpiresAtMs: signer.Millis(expires),
		MaxValiditySeconds: intOrEmpty(d.MaxValiditySeconds), MaxValueUSD: read.usd("rules.delegation.maxValueUsd",
			d.MaxValueUSD), DailyUSD: read.usd("rules.delegation.dailyUsd", d.DailyUSD),
		AllowedDestinations: read.addresses("rules.delegation.allowedDestinations", d.AllowedDestinations),
		SettlementsOnly:     d.SettlementsOnly,
		PayeesOnly:          d.PayeesOnly,
		PayeeCoolingHours:   read.cooling("rules.delegation", d.PayeesOnly, d.PayeeCoolingHours),
	}
}

// RulesPatch changes rules. A member that it names replaces the one of the policy, null removes it, and all others
// stay. Example: {"dailyUsd": null, "maxValueUsd": 50} on {"dailyUsd": 500, "maxValueUsd": 100} gives {"maxValueUsd":
// 50}.
type RulesPatch struct {
	MaxValueUSD         *decimal.Number   `json:"maxValueUsd,omitzero" minimum:"0" maximum:"1000000000000" nullable:"true" doc:"null: no limit any more"`
	DailyUSD            *decimal.Number   `json:"dailyUsd,omitzero" minimum:"0" maximum:"1000000000000" nullable:"true"`
	MonthlyUSD          *decimal.Number   `json:"monthlyUsd,omitzero" minimum:"0" maximum:"1000000000000" nullable:"true"`
	AllowedDestinations []string          `json:"allowedDestinations,omitempty" minItems:"1" maxItems:"100" nullable:"true" doc:"null: anybody"`
	AllowedChains       []string          `json:"allowedChains,omitempty" minItems:"1" maxItems:"100" nullable:"true"`
	AllowedTokens       []string          `json:"allowedTokens,omitempty" minItems:"1" maxItems:"100" nullable:"true"`
	AllowedContracts    []AllowedContract `json:"allowedContracts,omitempty" minItems:"1" maxItems:"100" nullable:"true"`
	AllowRawDigests     *bool             `json:"allowRawDigests,omitempty" nullable:"true"`
	PayeesOnly          *bool             `json:"payeesOnly,omitempty" nullable:"true"`
	PayeeCoolingHours   *int              `json:"payeeCoolingHours,omitempty" minimum:"1" maximum:"720" nullable:"true"`
	MaxSlippagePercent  *decimal.Number   `json:"maxSlippagePercent,omitzero" minimum:"0" maximum:"50" nullable:"true"`
	Delegation          *Delegation       `json:"delegation,omitempty"`

	named map[string]json.RawMessage
}

// UnmarshalJSON remembers which members the patch names, since null and absent mean different things.
func (p *RulesPatch) UnmarshalJSON(raw []byte) error {
	type plain RulesPatch
	if err := json.Unmarshal(raw, (*plain)(p)); err != nil {
		return err
	}
	return json.Unmarshal(raw, &p.named)
}

// applyTo returns the rules after the change.
func (p *RulesPatch) applyTo(to Rules) (Rules, error) {
	var next Rules
	raw, err := json.Marshal(to)
	if err != nil {
		return next, err
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &members); err != nil {
		return next, err
	}
	for name, value := range p.named {
		members[name] = value
		if string(value) == "null" {
			delete(members, name)
		}
	}
	if raw, err = json.Marshal(members); err != nil {
		return next, err
	}
	return next, json.Unmarshal(raw, &next)
}

// rulesOf converts the enclave's rules to those of the API.
func rulesOf(w wire.Rules) Rules {
	r := Rules{
		MaxValueUSD: decimal.Number(w.MaxValueUSD), DailyUSD: decimal.Number(w.DailyUSD),
		MonthlyUSD:          decimal.Number(w.MonthlyUSD),
		AllowedDestinations: w.AllowedDestinations, AllowedChains: w.AllowedChains, AllowedTokens: w.AllowedTokens,
		AllowRawDigests: w.AllowRawDigests, PayeesOnly: w.PayeesOnly, PayeeCoolingHours: intOrZero(w.PayeeCoolingHours),
		MaxSlippagePercent: decimal.Number(w.MaxSlippagePercent),
	}
	for _, c := range w.AllowedContracts {
		r.AllowedContracts = append(r.AllowedContracts, AllowedContract(c))
	}
	if d := w.Delegation; d != nil {
		r.Delegation = &Delegation{
			PublicKey: d.PublicKey, AnyRequest: d.PublicKey == nil, ExpiresAt: isoOfMillis(d.ExpiresAtMs),
			MaxValiditySeconds: intOrZero(d.MaxValiditySeconds), MaxValueUSD: decimal.Number(d.MaxValueUSD),
			DailyUSD: decimal.Number(d.DailyUSD), AllowedDestinations: d.AllowedDestinations,
			SettlementsOnly: d.SettlementsOnly, PayeesOnly: d.PayeesOnly,
			PayeeCoolingHours: intOrZero(d.PayeeCoolingHours),
		}
	}
	return r
}

// usdPlaces are the decimal places of an amount in USD: a millionth is the smallest.
const usdPlaces = 6

// usd checks an amount and gives it in the enclave's spelling.
func usd(field string, n decimal.Number) (string, error) {
	if n != "" && !n.Plain(usdPlaces) {
		return "", fault.Field(field, "must be a plain decimal with at most 6 places")
	}
	return string(n), nil
}

// intOrEmpty writes a number as the enclave does: "" for 0.
func intOrEmpty(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// intOrZero reads what intOrEmpty wrote.
func intOrZero(text string) int {
	n, _ := strconv.Atoi(text) // "" where the rules do not say
	return n
}

func isoOfMillis(text string) string {
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return ""
	}
	return clock.ISO(time.UnixMilli(ms))
}

// fieldParser reads members one after the other, and keeps the first error.
type fieldParser struct{ err error }

func (r *fieldParser) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *fieldParser) usd(field string, n decimal.Number) string {
	text, err := usd(field, n)
	if err != nil {
		r.fail(err)
	}
	return text
}

// percent gives a number of percents in the enclave's spelling.
func (r *fieldParser) percent(field string, n decimal.Number) string {
	if n != "" && !n.Plain(2) {
		r.fail(fault.Field(field, "must be a plain decimal with at most 2 places"))
	}
	return string(n)
}

// cooling writes the hours of a rule, which has them only with payeesOnly.
func (r *fieldParser) cooling(of string, payeesOnly bool, hours int) string {
	if hours != 0 && !payeesOnly {
		r.fail(fault.Field(of+".payeeCoolingHours", "must not be given without payeesOnly: true"))
	}
	return intOrEmpty(hours)
}

func (r *fieldParser) address(field, text string) string {
	canonical, _, ok := families.ParseAddress(text)
	if !ok {
		r.fail(fault.Field(field, "must be an address"))
	}
	return canonical
}

func (r *fieldParser) addresses(field string, texts []string) (all []string) {
	for i, text := range texts {
		all = append(all, r.address(fmt.Sprintf("%s[%d]", field, i), text))
	}
	return all
}

func (r *fieldParser) tokens(field string, texts []string) (all []string) {
	for i, text := range texts {
		if len(text) > chain.LongestSymbol {
			text = r.address(fmt.Sprintf("%s[%d]", field, i), text)
		}
		all = append(all, text)
	}
	return all
}
