package decide

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

const fuzzedBody = `{"type":"ACTIVITY_TYPE_SIGN_INTENT","environment":"sandbox","organizationId":"o",` +
	`"activityId":"01a1fcb6-9325-7031-b611-3af04fd31a29",` +
	`"timestampMs":"1","expiresAtMs":"2","parameters":{"signWith":"0x","chain":"base","chainId":"84532","to":"0x",` +
	`"value":"0","data":"0x","gasLimit":"1","maxTotalFee":"1"}}`

// What the signer accepts, the host's parser reads alike (S03): nobody can show
// one body and have another decided.
func FuzzParse(f *testing.F) {
	f.Add(fuzzedBody)
	f.Add(fuzzedBody[:len(fuzzedBody)-2] + `,"to":"0x2"}}`)
	f.Add(fuzzedBody + " {}")
	f.Add("\ufeff" + fuzzedBody)
	f.Add(`{"type":"ACTIVITY_TYPE_CREATE_AGENT","environment":"sandbox","organizationId":"o",` +
		`"activityId":"01a1fcb6-9325-7031-b611-3af04fd31a29",` +
		`"timestampMs":"1","expiresAtMs":"2","parameters":{"agentName":"a","recipientPublicKey":"02"}}`)
	for kind, params := range map[wire.ActivityType]string{
		wire.AddPayee: `{"name":"María","chain":"base","address":"0x","kind":"bank_account",` +
			`"bankAccount":{"owner":"María","bank":"BBVA","lastFour":"6789","currency":"MXN"}}`,
		wire.RemovePayee: `{"payeeId":"p"}`,
		wire.CreatePolicy: `{"walletId":"w","rules":{"maxValueUsd":"1","allowedDestinations":["0x"],` +
			`"allowedContracts":[{"chain":"base","address":"0x","selectors":["0x"]}],` +
			`"allowRawDigests":true,"delegation":{"publicKey":"02","expiresAtMs":"1","maxValueUsd":"1",` +
			`"dailyUsd":"1","allowedDestinations":["0x"]}}}`,
		wire.UpdatePolicy:         `{"policyId":"p","rules":{"dailyUsd":"1e400","monthlyUsd":"-1"}}`,
		wire.DeletePolicy:         `{"policyId":"p","policyId":"q"}`,
		wire.UpdateApprovalConfig: `{"enabled":true,"thresholdUsd":"NaN","requiredApprovers":"0"}`,
		wire.ApproveActivity:      `{"fingerprint":"sha256:00","policySet":"00"}`,
		wire.SignMessage:          `{"signWith":"0x","type":"EIP712","payload":"{\"types\":{}}"}`,
	} {
		f.Add(`{"type":"` + string(kind) +
			`","environment":"sandbox","organizationId":"o","activityId":"01a1fcb6-9325-7031-b611-3af04fd31a29",` +
			`"timestampMs":"1","expiresAtMs":"2","parameters":` + params + `}`)
	}
	f.Add(`{"Type":"ACTIVITY_TYPE_SIGN_INTENT"}`)
	f.Add("\xff")
	f.Fuzz(func(t *testing.T, raw string) {
		r, err := Parse(raw)
		if err != nil {
			if !errors.Is(err, refusal.ErrBody) {
				t.Errorf("refused with %v", err)
			}
			return
		}
		var host wire.Body
		d := json.NewDecoder(bytes.NewReader([]byte(raw)))
		d.DisallowUnknownFields()
		if err := d.Decode(&host); err != nil || d.More() || !utf8.ValidString(raw) {
			t.Fatalf("accepted what encoding/json refuses: %v", err)
		}
		if host.Type != r.Body.Type || host.ActivityID != r.Body.ActivityID || host.ExpiresAtMs != r.Body.ExpiresAtMs ||
			host.OrganizationID != r.Body.OrganizationID || !bytes.Equal(host.Parameters, r.Body.Parameters) {
			t.Errorf("read as %+v here and %+v there", r.Body, host)
		}
		if r.Fingerprint != wire.Fingerprint(raw) {
			t.Error("its fingerprint is another's")
		}
	})
}

// What is taken for an agent's claim is read in one way: its parts come out of
// the signed text again, and writing them again gives the same claim.
func FuzzReadClaim(f *testing.F) {
	const id = "7d1f0c7e-1111-4222-8333-944455556666"
	const mac = "8abd84bd357422c26ec6ee64102804c0147f9d97edc7d2e29405a8182005946f"
	f.Add(id, "GET", "/v1/agents", "1700000000", noBody, mac)
	f.Add(id, "POST", "/v1/agents", "1700000060", emptyBody, mac)
	f.Add(id, "POST/", "v1", "+170000000", emptyBody, "A"+mac[1:])
	f.Add(id, "GET", "/v1?a", "１700000000", noBody, mac[2:])
	now := time.Unix(1_700_000_000, 0)
	f.Fuzz(func(t *testing.T, id, method, path, at, hash, mac string) {
		c, err := ReadClaim(wire.VerifyAgentRequest{
			AgentID: id, Method: method, Path: path, Timestamp: at, BodyHash: hash, MAC: mac,
		})
		if err != nil {
			if !errors.Is(err, refusal.ErrAgentAuth) {
				t.Errorf("refused with %v", err)
			}
			return
		}
		m := c.Messages[0]
		slash, end := strings.Index(m, "/"), len(m)-64-10
		if m[:slash] != method || m[slash:end] != path || m[end:end+10] != at || m[end+10:] != hash ||
			strconv.FormatInt(c.At, 10) != at {
			t.Errorf("read as %+v", c)
		}
		if hex.EncodeToString(c.MAC[:]) != mac || c.AgentID != id || c.Write == (method == "GET" || method == "HEAD") ||
			c.Fresh(now) != (c.At >= 1_700_000_000-60 && c.At <= 1_700_000_060) {
			t.Errorf("read as %+v", c)
		}
	})
}

// A sheet that is read has prices that are some, and says the same to the host's parser.
func FuzzReadSheet(f *testing.F) {
	const good = `{"environment":"sandbox","asOfMs":"1800000000000","expiresAtMs":"1800000900000",` +
		`"prices":[{"asset":"ETH","usd":"3000.5"},{"asset":"USDC","usd":"1"}]}`
	f.Add(good)
	f.Add(strings.Replace(good, "USDC", "ETH", 1))
	f.Add(strings.Replace(good, `"usd":"1"`, `"usd":"1","USD":"2"`, 1))
	f.Add(strings.Replace(good, "3000.5", "1e99", 1))
	f.Add(good + "{}")
	f.Add(good[:len(good)-1] +
		`,"dataFees":[{"chain":"base","weiPerByte":"40000000"},{"chain":"optimism","weiPerByte":"0"}]}`)
	f.Add("\xff")
	f.Fuzz(func(t *testing.T, raw string) {
		read, err := ReadSheet(raw)
		if err != nil {
			if !errors.Is(err, refusal.ErrSheet) {
				t.Errorf("refused with %v", err)
			}
			return
		}
		var host wire.Sheet
		if err := json.Unmarshal([]byte(raw), &host); err != nil || host.Environment != read.environment ||
			!slices.Equal(host.Prices, read.Prices) ||
			!slices.Equal(host.DataFees, read.DataFees) {
			t.Fatalf("read as %+v here and %+v there: %v", read, host, err)
		}
		if life := read.ExpiresAtMs - read.AsOfMs; life <= 0 ||
			life > wire.MaxSheetLife.Milliseconds() || read.AsOfMs < 0 {
			t.Errorf("lives from %d to %d", read.AsOfMs, read.ExpiresAtMs)
		}
		for _, p := range read.Prices {
			if worth, ok := wire.ParsePrice(p.USD); !ok || worth.Sign() <= 0 {
				t.Errorf("a price of %s", p.USD)
			}
		}
		for _, fee := range read.DataFees {
			if n, ok := wire.ParseWeiPerByte(fee.WeiPerByte); !ok || n < wire.MinWeiPerByte || n > wire.MaxWeiPerByte {
				t.Errorf("a data fee of %s", fee.WeiPerByte)
			}
		}
	})
}

// A saved state comes from a sealed file, but a fault of ours may write a wrong one.
func FuzzRestore(f *testing.F) {
	empty, err := NewState(Constants{}).Save("this program")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(empty)
	f.Add(empty[:len(empty)/2])
	c := governed(f, "2", "ann", "bob")
	pay := c.payment()
	c.must(EventHeld, "ann", pay)
	c.must(EventVote, "ann", c.vote(pay.Fingerprint))
	waiting, err := c.Save("this program")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(waiting)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, raw []byte) {
		if s, err := Restore(Constants{}, "this program", raw); err == nil && s == nil {
			t.Error("neither a state nor an error")
		}
	})
}
