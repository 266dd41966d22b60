package agent

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/big"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/x402"
)

// Limit is what one request may cost.
type Limit struct {
	MaxAmount railkit.SmallestUnits // of USDC: "10000" are 0.01 USDC, as railkit.USDC("0.01") has it
	Cluster   string                // slug of the only network to pay on; "": any that the agent's limits allow
}

// ErrBody says that a request would have to be sent again with its payment, and that its body cannot be: it has no
// GetBody. http.NewRequest gives one to bodies that are a bytes.Buffer, bytes.Reader or strings.Reader.
var ErrBody = errors.New("agent: the request has to be paid for, and its body cannot be sent a second time")

// mostOffers bounds the body of a 402 that is read for its offers.
const mostOffers = 256 << 10

// Transport pays for requests. Where a server answers 402 with offers by x402, it takes the cheapest one within the
// limit, has the platform sign the payment, and sends the same request again with it. PaymentOf tells what was paid.
//
// It pays once for a request at most. Where nobody knows whether the server took the payment (no answer, a 5xx, a
// settlement that is under way), the same payment is sent again, four times in all. A request that a redirect led to is
// not paid for, and the payment goes to no other URL than the one that asked for it. Above the agent's threshold the
// request waits for the owner's decision, so give the http.Client no shorter Timeout than ApprovalTimeout.
//
// A program that may crash gives its requests a key by railkit.WithIdempotencyKey: the same request with it, within 24
// hours, is sent with the payment that was signed before. Errors are those of Pay, PriceError, OfferError and ErrBody.
// What is no 402, or asks for a payment in no way that is known here, is passed on as it is. base is
// http.DefaultTransport where it is nil.
func (r *Runtime) Transport(base http.RoundTripper, limit Limit) http.RoundTripper {
	if base == nil {
		base = http.DefaultTransport
	}
	return &transport{r: r, base: base, limit: limit}
}

// transport is below the redirects of http.Client: each of them is a request of its own here, which has the headers
// that the caller set, and not those that were added here.
type transport struct {
	r     *Runtime
	base  http.RoundTripper
	limit Limit
}

// RoundTrip sends a request, and pays for its answer.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	most, err := chain.ParseUnits(string(t.limit.MaxAmount), 0)
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, errors.New("agent: MaxAmount must be a whole number of USDC's smallest unit, such as \"10000\"")
	}
	res, err := t.base.RoundTrip(req)
	if err != nil || res.StatusCode != http.StatusPaymentRequired || !ours(req) {
		return res, err
	}
	offers, err := offersOf(res)
	if errors.Is(err, x402.ErrNoOffers) {
		return res, nil
	}
	_ = res.Body.Close()
	if err != nil {
		return nil, &OfferError{Err: err}
	}
	choice, err := t.choose(offers, most)
	if err != nil {
		return nil, err
	}
	if req.Body != nil && req.Body != http.NoBody && req.GetBody == nil {
		return nil, ErrBody
	}
	p, err := t.r.sign(req, choice)
	if err != nil {
		return nil, t.r.learn(err)
	}
	return t.deliver(req, p)
}

// ours says whether a request may be paid for here: not one that a redirect led to, because the request before it may
// have been paid for, and not one that its caller pays for.
func ours(req *http.Request) bool {
	return req.Response == nil && req.Header.Get(x402.HeaderPayment) == "" && req.Header.Get(x402.HeaderPaymentV1) == ""
}

// offersOf reads what an answer asks for. Its body can still be read from its beginning.
func offersOf(res *http.Response) (x402.Offers, error) {
	body, err := io.ReadAll(io.LimitReader(res.Body, mostOffers+1))
	res.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), failing{err}, res.Body), res.Body}
	return x402.ReadOffers(res.StatusCode, res.Header, body)
}

// failing repeats the error with which a body ended, or is at its end.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}

// choose takes the cheapest offer that fits. The platform's own networks are not known here, so that those of both
// environments are looked at: it refuses those of the other one.
func (t *transport) choose(offers x402.Offers, most *big.Int) (x402.Choice, error) {
	networks := slices.Concat(chain.Networks(chain.Production), chain.Networks(chain.Sandbox))
	wants := x402.Wants{
		Networks: slices.DeleteFunc(networks, func(n chain.Network) bool {
			return t.limit.Cluster != "" && n.Slug != t.limit.Cluster
		}),
		Tokens: []string{"USDC"}, Methods: []x402.Method{x402.EIP3009, x402.Permit2, x402.Sponsored}, Upto: true,
		Max: most, Now: time.Now(),
	}
	choice, skipped, ok := x402.Choose(offers, wants)
	if ok {
		return choice, nil
	}
	wants.Max = new(big.Int).Lsh(big.NewInt(1), 256)
	if dear, _, ok := x402.Choose(offers, wants); ok {
		return x402.Choice{}, &PriceError{Price: dear.Amount.String(), Limit: most.String()}
	}
	e := &OfferError{}
	for _, s := range skipped {
		e.Reasons = append(e.Reasons, s.Why.Sentence())
	}
	return x402.Choice{}, e
}

// purchase is a payment that was signed, and how it is sent.
type purchase struct {
	key         string
	name, value string // of the header that pays
	payment     railkit.X402Payment
}

// sign has the platform sign the payment for a request, once, whatever becomes of the answers.
func (r *Runtime) sign(req *http.Request, c x402.Choice) (*purchase, error) {
	ctx, key := req.Context(), railkit.IdempotencyKey(req.Context())
	if key == "" {
		key = uuid.NewString()
	}
	if err := r.begin(ctx, key); err != nil {
		return nil, err
	}
	at := *req.URL
	at.User, at.Fragment, at.RawFragment = nil, "", ""
	answer, err := r.signed(ctx, key, railkit.X402Request{
		ResourceURL: at.String(), Method: methodOf(req), Amount: railkit.SmallestUnits(c.Amount.String()),
		Recipient: c.Offer.PayTo, Cluster: c.Network.Slug,
	})
	if err != nil {
		return nil, err
	}
	p := &purchase{key, answer.PaymentHeaderName, answer.PaymentHeader, *answer.Payment}
	if r.live.Err() != nil { // it was killed meanwhile: what is not sent pays nobody
		return nil, &UnknownError{Key: key, PaymentID: p.payment.ID, Err: context.Cause(r.live)}
	}
	r.Track(railkit.AgentEvent{
		ID: "payment-" + key, Type: typePayment, Recipient: p.payment.PayTo,
		Metadata: map[string]any{
			"transactionId": p.payment.ID, "amount": p.payment.Amount, "token": "USDC", "network": p.payment.Network,
			"host": req.URL.Host,
		},
	})
	return p, nil
}

// methodOf is how the platform asks for the offers: as the request does. A HEAD has the price of its GET.
func methodOf(req *http.Request) string {
	if req.Method == http.MethodHead {
		return ""
	}
	return req.Method
}

// signed asks for the header that pays. Where that needs the owner's decision, it waits for it, and goes on.
func (r *Runtime) signed(ctx context.Context, key string, q railkit.X402Request) (*railkit.X402Answer, error) {
	ask := func(ctx context.Context, q railkit.X402Request) (*railkit.X402Answer, *railkit.QueuedError, error) {
		return insist(ctx, r, key, func() (*railkit.X402Answer, error) { return r.client.PayX402(ctx, q) })
	}
	answer, queued, err := ask(railkit.WithIdempotencyKey(ctx, key), q)
	if queued != nil {
		if _, err := r.await(ctx, key, queued.ApprovalID); err != nil {
			return nil, err
		}
		// It is the same payment, however often it is asked for: this needs no key.
		answer, queued, err = ask(railkit.WithIdempotencyKey(ctx, ""), railkit.X402Request{PaymentID: queued.PaymentID})
	}
	switch {
	case err != nil:
		return nil, err
	case queued != nil:
		return nil, &UnknownError{Key: key, ApprovalID: queued.ApprovalID, Err: errors.New("it waits once more")}
	case answer.Payment == nil:
		return nil, &OfferError{Err: errors.New("the platform was asked for no payment at this URL")}
	case !slices.Contains([]string{x402.HeaderPayment, x402.HeaderPaymentV1},
		http.CanonicalHeaderKey(answer.PaymentHeaderName)) || answer.PaymentHeader == "":
		return nil, &UnknownError{
			Key: key, PaymentID: answer.Payment.ID, Err: errors.New("the platform answered no header that pays"),
		}
	}
	return answer, nil
}

// deliver sends a request with its payment, and again with the very same one where nobody knows whether the seller took
// it.
func (t *transport) deliver(req *http.Request, p *purchase) (*http.Response, error) {
	for attempt := 1; ; attempt++ {
		res, err := t.send(req, p)
		if err == nil && !open(res) {
			return res, nil
		}
		wait, again := pause(errors.New("the seller's answer tells nothing"), attempt)
		if !again || p.over(wait) || t.r.sleep(req.Context(), wait) != nil {
			if err != nil {
				err = &UnknownError{Key: p.key, PaymentID: p.payment.ID, Err: err}
			}
			return res, err
		}
		if err == nil {
			_ = res.Body.Close() // unread: it may be endless
		}
	}
}

// send sends a request with its payment once.
func (t *transport) send(req *http.Request, p *purchase) (*http.Response, error) {
	paying := req.Clone(req.Context())
	if req.GetBody != nil && req.Body != nil {
		body, err := req.GetBody()
		if err != nil {
			return nil, err
		}
		paying.Body = body
	}
	paying.Header.Set(p.name, p.value)
	res, err := t.base.RoundTrip(paying)
	if err != nil {
		return nil, err
	}
	// The answer is to the request of the caller, without the payment's header, and knows the payment.
	res.Request = req.WithContext(context.WithValue(req.Context(), paymentKey{}, p.payment))
	return res, nil
}

// open says that a seller's answer leaves open whether the payment was taken.
func open(res *http.Response) bool {
	receipt, found, err := x402.ReadReceipt(res.Header)
	return res.StatusCode >= http.StatusInternalServerError || found && err == nil && receipt.Pending()
}

// over says whether the payment can be taken no more after a wait.
func (p *purchase) over(wait time.Duration) bool {
	if p.payment.ValidBefore == nil {
		return false
	}
	end, err := time.Parse(time.RFC3339, *p.payment.ValidBefore)
	return err == nil && !time.Now().Add(wait).Before(end)
}

type paymentKey struct{}

// PaymentOf is the payment that was sent for an answer, also where the paid answer was a redirect to it; ok is false
// where nothing was paid. It is as it was signed: AgentClient.X402Payment tells by its ID what the chain says of it.
func PaymentOf(res *http.Response) (p railkit.X402Payment, ok bool) {
	for res != nil && res.Request != nil {
		if p, ok = res.Request.Context().Value(paymentKey{}).(railkit.X402Payment); ok {
			return p, true
		}
		res = res.Request.Response
	}
	return p, false
}
