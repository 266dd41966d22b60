package takeover

import (
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/containerd/ttrpc"
	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/railkit/railkit/enclave/frame"
	"github.com/railkit/railkit/enclave/harden"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/prices"
	"github.com/railkit/railkit/internal/supervise"
	"github.com/railkit/railkit/internal/test/testlog"
	"github.com/railkit/railkit/internal/test/testwait"
)

const (
	origin      = "http://localhost:9090"
	workspaceID = "11111111-1111-4111-8111-111111111111"
)

// host is the actor: whoever has the server, and with it the signer's socket.
type host struct {
	t      *testing.T
	signer signer
	conn   *ttrpc.Client
	ledger *ledger
	prices *feed
	ahead  time.Duration // as the ledger's
}

// feed is the price signer, whose key the actor has not.
type feed struct {
	key  *ecdsa.PrivateKey
	asOf time.Time // of the last sheet
}

// signer is a signer's program and files, which the actor has not.
type signer struct {
	program, mutant             string
	data, secret, price, socket string
	clock                       time.Duration // of the machine's clock against its own; in the mutated program only
	strict                      bool          // its operator does not confirm the machine's clock
	stop                        func()
}

// takeOver starts a signer: the shipped program, or the mutated one as one mutant.
func takeOver(t *testing.T, program, mutant string) *host {
	t.Helper()
	dir, err := os.MkdirTemp("", "rk") // short: a socket's path is cut at 108 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := signer{
		program: program, mutant: mutant, data: filepath.Join(dir, "d"),
		secret: filepath.Join(dir, "u"), price: filepath.Join(dir, "p"), socket: filepath.Join(dir, "s", "s"),
	}
	s.do(t, "init", "--data", s.data, "--environment", "sandbox", "--rp-id", "localhost", "--origin", origin,
		"--unseal-file", s.secret, "--new-unseal-file", "--new-price-key-file", s.price)
	key, err := prices.ReadKey(s.price)
	if err != nil {
		t.Fatal(err)
	}
	h := &host{t: t, signer: s, ledger: newLedger(), prices: &feed{key, time.Now().Add(-4 * time.Minute)}}
	h.start()
	h.honestPrices(market)
	return h
}

// do runs a command of the operator's.
func (s signer) do(t *testing.T, args ...string) {
	t.Helper()
	if err := s.try(args...); err != nil {
		t.Fatal(err)
	}
}

// try runs one that the signer may refuse.
func (s signer) try(args ...string) error {
	cmd := exec.Command(s.program, args...)
	cmd.Env = append(os.Environ(), mutantEnv+"="+s.mutant, clockEnv+"="+s.clock.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// start has the signer answer on its socket, until the test or stop ends it.
func (h *host) start() {
	h.t.Helper()
	s := &h.signer
	log := &testlog.Log{}
	group := supervise.New(log)
	h.t.Cleanup(group.Kill)
	if _, err := group.Start(h.t.Context(), supervise.Spec{
		Name: "signer", Path: s.program, Once: true,
		Env: []string{harden.Environment, mutantEnv + "=" + s.mutant, clockEnv + "=" + s.clock.String()},
		Args: func(supervise.Facts) []string {
			args := []string{"run", "--data", s.data, "--unseal-file", s.secret, "--socket", s.socket}
			if !s.strict {
				args = append(args, "--accept-time")
			}
			return args
		},
	}); err != nil {
		h.t.Fatalf("%v\n%s", err, log)
	}
	raw, err := net.Dial("unix", s.socket)
	if err != nil {
		h.t.Fatal(err)
	}
	conn := ttrpc.NewClient(raw)
	h.conn = conn
	h.t.Cleanup(func() { _ = conn.Close() })
	s.stop = func() { _ = conn.Close(); group.Stop(10 * time.Second) }
}

// call speaks to the signer as the server does, and believes nothing.
func (h *host) call(method string, q, a any) error {
	raw, err := frame.Call(q)
	if err != nil {
		h.t.Error(err)
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), testwait.Bound)
	defer cancel()
	var out wrapperspb.BytesValue
	if err := h.conn.Call(ctx, wire.Service, method, wrapperspb.Bytes(raw), &out); err != nil {
		return err
	}
	refused, err := frame.ReadAnswer(out.GetValue(), a)
	if refused != nil {
		return errors.New(refused.Code)
	}
	return err
}

// outcome is a call whose answer may hold a signature. Each goes by the ledger.
func (h *host) outcome(method string, q any) (wire.OutcomeState, wire.Result, error) {
	var a wire.OutcomeReply
	if err := h.call(method, q, &a); err != nil || a.Proof == nil {
		return a.State, wire.Result{}, err
	}
	var st wire.Statement
	if err := json.Unmarshal([]byte(a.Proof.Payload), &st); err != nil || st.Result == nil {
		return a.State, wire.Result{}, err
	}
	h.ledger.saw(st)
	return a.State, *st.Result, nil
}

// submit hands in a body with a fee and a nonce floor that suit it.
func (h *host) submit(body string, stamp *wire.Stamp) (wire.OutcomeState, wire.Result, error) {
	return h.outcome(wire.MSubmit, wire.SubmitRequest{Body: body, Stamp: stamp, Volatile: &fitting})
}

var fitting = wire.Volatile{MaxFeePerGas: "1000000000", MaxPriorityFeePerGas: "1000000", NonceFloor: "0"}

// reject has a body cancelled, as its owner wants it. Once he is told that it is,
// no signature may come of it.
func (h *host) reject(body string) {
	if state, _, err := h.outcome(wire.MCancel, wire.FingerprintRequest{
		Fingerprint: wire.Fingerprint(body),
	}); err == nil && state == wire.Cancelled {
		h.ledger.reject(body)
	}
}

// rules asks which rules are in force.
func (h *host) policySet(org, approval string) string {
	var p wire.Proof
	var st wire.Statement
	err := h.call(wire.MState, wire.StateRequest{OrganizationID: org, Approval: approval}, &p)
	if err == nil {
		err = json.Unmarshal([]byte(p.Payload), &st)
	}
	if err != nil || st.State == nil || st.State.Approval == nil {
		return ""
	}
	return st.State.Approval.PolicySet
}

// body writes a body of now.
func (h *host) body(org string, kind wire.ActivityType, params any, change ...func(*wire.Body)) string {
	h.t.Helper()
	raw, err := json.Marshal(params)
	if err != nil {
		h.t.Fatal(err)
	}
	now := h.now()
	b := wire.Body{
		Type: kind, Environment: "sandbox", OrganizationID: org, ActivityID: uuid.NewString(),
		TimestampMs: millis(now), ExpiresAtMs: millis(now.Add(15 * time.Minute)), Parameters: raw,
	}
	for _, c := range change {
		c(&b)
	}
	if raw, err = json.Marshal(b); err != nil {
		h.t.Fatal(err)
	}
	return string(raw)
}

// now is the true time.
func (h *host) now() time.Time { return time.Now().Add(h.ahead) }

func millis(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }

// asOfStep is between two sheets: the signer takes one in ten seconds.
const asOfStep = 11 * time.Second

// honestPrices is a sheet of the price signer, handed in by the actor.
func (h *host) honestPrices(usd map[string]string) {
	h.t.Helper()
	if err := h.handIn(h.sheet(h.prices.key, usd, wire.MaxSheetLife)); err != nil {
		h.t.Fatal(err)
	}
}

func (h *host) handIn(s wire.SignedSheet) error {
	return h.call(wire.MPrices, wire.PricesRequest{Sheet: s}, &wire.PricesReply{})
}

// expired hands in a sheet that is good for a second more, and waits for its end. A busy signer that hears of it only
// then takes none: it gets one that is good for longer.
func (h *host) expired(usd map[string]string, fees ...wire.DataFee) {
	h.t.Helper()
	for life := time.Second; life < testwait.Bound; life *= 4 {
		end := time.Now().Add(life)
		s := h.sheetWith(h.prices.key, usd, end.Sub(h.prices.asOf)-asOfStep, fees...)
		if h.handIn(s) == nil {
			h.until(func() bool { return false }, time.Until(end.Add(100*time.Millisecond)))
			return
		}
	}
	h.t.Fatal("no sheet is taken")
}

// sheet signs the next sheet, which is good for so long.
func (h *host) sheet(key *ecdsa.PrivateKey, usd map[string]string, life time.Duration) wire.SignedSheet {
	h.t.Helper()
	return h.sheetWith(key, usd, life, wire.DataFee{Chain: "base", WeiPerByte: strconv.Itoa(weiPerByte)},
		wire.DataFee{Chain: "tron", WeiPerByte: "1000"})
}

// sheetWith signs one with these data fees.
func (h *host) sheetWith(
	key *ecdsa.PrivateKey, usd map[string]string, life time.Duration, fees ...wire.DataFee,
) wire.SignedSheet {
	h.t.Helper()
	h.prices.asOf = h.prices.asOf.Add(asOfStep)
	s := wire.Sheet{
		Environment: "sandbox",
		AsOfMs:      millis(h.prices.asOf),
		ExpiresAtMs: millis(h.prices.asOf.Add(life)),
		DataFees:    fees,
	}
	for asset, price := range usd {
		s.Prices = append(s.Prices, wire.Price{Asset: asset, USD: price})
	}
	signed, err := wire.SignSheet(key, s)
	if err != nil {
		h.t.Fatal(err)
	}
	return signed
}
