package railkit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/railkit/railkit/enclave/wire"
)

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
		MaxValueUSD: json.Number(w.MaxValueUSD), DailyUSD: json.Number(w.DailyUSD), MonthlyUSD: json.Number(w.MonthlyUSD),
		AllowedDestinations: w.AllowedDestinations, AllowedChains: w.AllowedChains, AllowedTokens: w.AllowedTokens,
		AllowedContracts: w.AllowedContracts, AllowRawDigests: w.AllowRawDigests,
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
