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
	"github.com/railkit/railkit/rest"
)

// wire puts rules into the enclave's words, with the canonical spelling of addresses.
func wireRules(r rest.PolicyRules) (w wire.Rules, err error) {
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
	w.Delegation = wireDelegation(r.Delegation, &read)
	return w, read.err
}

func wireDelegation(d *rest.Delegation, read *fieldParser) *wire.Delegation {
	if d == nil {
		return nil
	}
	expires, err := time.Parse(time.RFC3339, d.ExpiresAt)
	if err != nil {
		read.fail(fault.Field("rules.delegation.expiresAt", "must be an ISO 8601 date and time"))
	}
	switch {
	case d.PublicKey == "" && !d.AnyRequest:
		read.fail(fault.Field("rules.delegation.publicKey",
			"is required; a delegation that any request of the server can use says anyRequest: true"))
	case d.PublicKey != "" && d.AnyRequest:
		read.fail(fault.Field("rules.delegation.anyRequest", "must not be true beside publicKey"))
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
		PublicKey: textOrNil(d.PublicKey), AnyRequest: d.AnyRequest, ExpiresAtMs: signer.Millis(expires),
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
	MaxValueUSD         *rest.Number           `json:"maxValueUsd,omitzero" minimum:"0" maximum:"1000000000000" nullable:"true" doc:"null: no limit any more"`
	DailyUSD            *rest.Number           `json:"dailyUsd,omitzero" minimum:"0" maximum:"1000000000000" nullable:"true"`
	MonthlyUSD          *rest.Number           `json:"monthlyUsd,omitzero" minimum:"0" maximum:"1000000000000" nullable:"true"`
	AllowedDestinations []string               `json:"allowedDestinations,omitempty" minItems:"1" maxItems:"100" nullable:"true" doc:"null: anybody"`
	AllowedChains       []string               `json:"allowedChains,omitempty" minItems:"1" maxItems:"100" nullable:"true"`
	AllowedTokens       []string               `json:"allowedTokens,omitempty" minItems:"1" maxItems:"100" nullable:"true"`
	AllowedContracts    []rest.AllowedContract `json:"allowedContracts,omitempty" minItems:"1" maxItems:"100" nullable:"true"`
	AllowRawDigests     *bool                  `json:"allowRawDigests,omitempty" nullable:"true"`
	PayeesOnly          *bool                  `json:"payeesOnly,omitempty" nullable:"true"`
	PayeeCoolingHours   *int                   `json:"payeeCoolingHours,omitempty" minimum:"1" maximum:"720" nullable:"true"`
	MaxSlippagePercent  *rest.Number           `json:"maxSlippagePercent,omitzero" minimum:"0" maximum:"50" nullable:"true"`
	Delegation          *rest.Delegation       `json:"delegation,omitempty"`

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
func (p *RulesPatch) applyTo(to rest.PolicyRules) (rest.PolicyRules, error) {
	var next rest.PolicyRules
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
func rulesOf(w wire.Rules) rest.PolicyRules {
	r := rest.PolicyRules{
		MaxValueUSD: rest.Number(w.MaxValueUSD), DailyUSD: rest.Number(w.DailyUSD),
		MonthlyUSD:          rest.Number(w.MonthlyUSD),
		AllowedDestinations: w.AllowedDestinations, AllowedChains: w.AllowedChains, AllowedTokens: w.AllowedTokens,
		AllowRawDigests: w.AllowRawDigests, PayeesOnly: w.PayeesOnly, PayeeCoolingHours: intOrZero(w.PayeeCoolingHours),
		MaxSlippagePercent: rest.Number(w.MaxSlippagePercent),
	}
	for _, c := range w.AllowedContracts {
		r.AllowedContracts = append(r.AllowedContracts, rest.AllowedContract(c))
	}
	if d := w.Delegation; d != nil {
		r.Delegation = &rest.Delegation{
			PublicKey: d.Key(), AnyRequest: d.PublicKey == nil, ExpiresAt: isoOfMillis(d.ExpiresAtMs),
			MaxValiditySeconds: intOrZero(d.MaxValiditySeconds), MaxValueUSD: rest.Number(d.MaxValueUSD),
			DailyUSD: rest.Number(d.DailyUSD), AllowedDestinations: d.AllowedDestinations,
			SettlementsOnly: d.SettlementsOnly, PayeesOnly: d.PayeesOnly,
			PayeeCoolingHours: intOrZero(d.PayeeCoolingHours),
		}
	}
	return r
}

// usdPlaces are the decimal places of an amount in USD: a millionth is the smallest.
const usdPlaces = 6

// usd checks an amount and gives it in the enclave's spelling.
func usd(field string, n rest.Number) (string, error) {
	if n != "" && !n.Plain(usdPlaces) {
		return "", fault.Field(field, "must be a plain decimal with at most 6 places")
	}
	return string(n), nil
}

// textOrNil is nil where there is no text.
func textOrNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
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

func (r *fieldParser) usd(field string, n rest.Number) string {
	text, err := usd(field, n)
	if err != nil {
		r.fail(err)
	}
	return text
}

// percent gives a number of percents in the enclave's spelling.
func (r *fieldParser) percent(field string, n rest.Number) string {
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
