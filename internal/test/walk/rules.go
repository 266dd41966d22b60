package walk

import (
	"fmt"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/passkey"
)

const policyPath = "/v1/signing/policies"

// lower is a limit below all that were there, so that it needs nobody's consent.
func (w *World) lower() railkit.Number {
	w.made++
	return railkit.Number(fmt.Sprintf("%d.5", 1_000_000-w.made))
}

func createPolicy(w *World) Request {
	return w.post(policyPath, railkit.PolicyRequest{
		Name: w.name("Policy"), WalletID: w.Owner().Wallet.WalletID, Rules: railkit.PolicyRules{MaxValueUSD: w.lower()},
	})
}

func (w *World) policy() string {
	w.T.Helper()
	var p railkit.Policy
	w.must(createPolicy(w), &p)
	return policyPath + "/" + p.ID
}

func updatePolicy(w *World) Request {
	return w.by("PATCH", w.policy(), railkit.PolicyUpdate{Rules: railkit.RulesPatch{"maxValueUsd": w.lower()}})
}

// stampedly is the request as its owner's passkey has stamped it.
func (w *World) stampedly(r Request, body map[string]any) Request {
	w.T.Helper()
	return w.stampedBy(w.Owner().Passkey.Authenticator, r, body)
}

func (w *World) stampedBy(key *passkey.Authenticator, r Request, body map[string]any) Request {
	w.T.Helper()
	ask := r
	ask.Path += "?prepare=true"
	if len(body) > 0 {
		ask.Body = apptest.JSON(w.T, body)
	}
	var p railkit.Prepared
	w.must(ask, &p)
	stamp, err := passkey.Browser{Authenticator: key}.Stamp(p.UnsignedActivity.Body)
	if err != nil {
		w.T.Fatal(err)
	}
	if body == nil {
		body = map[string]any{}
	}
	body["signedActivity"] = p.Signed(stamp)
	r.Body = apptest.JSON(w.T, body)
	return r
}

func deletePolicy(w *World) Request { return w.stampedly(w.by("DELETE", w.policy(), nil), nil) }

func updateApprovalConfig(w *World) Request {
	r := w.by("PATCH", "/v1/signing/approval-config", nil)
	return w.stampedly(r, map[string]any{
		"subOrganizationId": w.Owner().Sub.SubOrganizationID, "enabled": false, "thresholdUsd": w.lower(),
		"requiredApprovers": 1,
	})
}

// newPasskey is the body of a further passkey of the owner's.
func (w *World) newPasskey() map[string]any {
	w.T.Helper()
	sub := w.Owner().Sub.SubOrganizationID
	ch, err := w.client().Passkeys.Challenge(w.context(), sub, "")
	if err != nil {
		w.T.Fatal(err)
	}
	made, err := passkey.Browser{Authenticator: passkey.New(w.App.Origin)}.Create(ch.Options)
	if err != nil {
		w.T.Fatal(err)
	}
	return map[string]any{
		"label":             w.name("label"),
		"encodedChallenge":  ch.EncodedChallenge,
		"attestation":       made,
		"subOrganizationId": sub,
	}
}

func addPasskey(w *World) Request {
	return w.stampedly(w.post("/v1/signing/passkeys/add", nil), w.newPasskey())
}

func deletePasskey(w *World) Request {
	w.T.Helper()
	var k railkit.ChangedPasskey
	w.must(addPasskey(w), &k)
	return w.stampedly(w.by("DELETE", "/v1/signing/passkeys/"+k.ID, nil), nil)
}

const payeesPath = "/v1/signing/payees"

// newPayee is a payee that nobody has added yet: another name, another address.
func (w *World) newPayee() map[string]any {
	w.made++
	return map[string]any{
		"subOrganizationId": w.Owner().Sub.SubOrganizationID, "name": fmt.Sprintf("Payee %d", w.made),
		"network": "base", "address": fmt.Sprintf("0x%040x", 0xfee0_0000+w.made), "kind": "wallet",
	}
}

func addPayee(w *World) Request { return w.stampedly(w.post(payeesPath, nil), w.newPayee()) }

func (w *World) listedPayee() string {
	w.T.Helper()
	var p railkit.Payee
	w.must(addPayee(w), &p)
	return payeesPath + "/" + p.ID
}

func removePayee(w *World) Request { return w.stampedly(w.by("DELETE", w.listedPayee(), nil), nil) }
