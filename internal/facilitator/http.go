package facilitator

import (
	"crypto/sha256"
	"crypto/subtle"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/x402"
)

const (
	maxBody = 64 << 10 // a payment has at most 16 kB as a header
	// maxCalls is how many requests are answered at one time. A settlement waits for its block.
	maxCalls = 512
)

// Handler serves the facilitator's four paths, and GET /healthz. With tokens it serves only who sends one of them
// ("Authorization: Bearer …"). Who sends one token is one caller, in however many processes.
func (f *Facilitator) Handler(tokens ...string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /verify", f.serveVerify)
	mux.HandleFunc("POST /settle", func(w http.ResponseWriter, r *http.Request) {
		_, caller := admitted(tokens, r.Header)
		f.serveSettle(w, r, caller)
	})
	mux.HandleFunc("GET /supported", func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, f.Supported()) })
	mux.HandleFunc("GET /discovery/resources", f.serveDiscovery)
	free := make(chan struct{}, maxCalls)
	all := http.NewServeMux()
	all.HandleFunc("GET /healthz", f.serveHealth)
	all.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if ok, _ := admitted(tokens, r.Header); !ok {
			w.Header().Set("WWW-Authenticate", "Bearer")
			problem(w, http.StatusUnauthorized, "the facilitator's token is missing or wrong")
			return
		}
		select {
		case free <- struct{}{}:
			defer func() { <-free }()
			mux.ServeHTTP(w, r)
		default:
			w.Header().Set("Retry-After", "1")
			problem(w, http.StatusServiceUnavailable, "too many requests at one time")
		}
	})
	return all
}

// admitted tells whether a request is served, and who its caller is: the hash of his token.
func admitted(tokens []string, h http.Header) (ok bool, caller string) {
	if len(tokens) == 0 {
		return true, ""
	}
	got, bearer := strings.CutPrefix(h.Get("Authorization"), "Bearer ")
	have := sha256.Sum256([]byte(got))
	for _, token := range tokens {
		want := sha256.Sum256([]byte(token))
		if subtle.ConstantTimeCompare(want[:], have[:]) == 1 && bearer {
			ok, caller = true, chain.Hex(want[:])
		}
	}
	return ok, caller
}

// read reads a request. What is no JSON of the expected members is answered like any other payment that is none.
func read(w http.ResponseWriter, r *http.Request) (in x402.Request, reason string) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil || json.Unmarshal(body, &in) != nil {
		return in, x402.ReasonInvalidPayload
	}
	return in, ""
}

func (f *Facilitator) serveVerify(w http.ResponseWriter, r *http.Request) {
	in, reason := read(w, r)
	if reason != "" {
		reply(w, http.StatusBadRequest, x402.Verdict{InvalidReason: reason})
		return
	}
	v, err := f.Verify(r.Context(), in)
	if err != nil {
		f.Log.ErrorContext(r.Context(), "verifying", "error", err)
		reply(w, http.StatusServiceUnavailable, v)
		return
	}
	reply(w, http.StatusOK, v)
}

func (f *Facilitator) serveSettle(w http.ResponseWriter, r *http.Request, caller string) {
	in, reason := read(w, r)
	if reason != "" {
		reply(w, http.StatusBadRequest, x402.Receipt{ErrorReason: reason})
		return
	}
	in.Identifier = r.Header.Get(x402.HeaderIdentifier)
	if in.Identifier != "" && !x402.ValidIdentifier(in.Identifier) {
		reply(w, http.StatusBadRequest, x402.Receipt{
			ErrorReason:  x402.ReasonInvalidPayload,
			ErrorMessage: x402.HeaderIdentifier + " is not 16 to 128 letters, digits, _ and -",
		})
		return
	}
	receipt, err := f.SettleFor(r.Context(), caller, in)
	if err != nil {
		f.Log.ErrorContext(r.Context(), "settling", "error", err, "payer", receipt.Payer)
		reply(w, http.StatusServiceUnavailable, receipt)
		return
	}
	reply(w, http.StatusOK, receipt)
}

// The pages of the list of resources.
const (
	usualLimit = 20
	maxLimit   = 100
	maxOffset  = 1_000_000
)

func (f *Facilitator) serveDiscovery(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	limit, ok := number(q.Get("limit"), usualLimit, 1, maxLimit)
	offset, ok2 := number(q.Get("offset"), 0, 0, maxOffset)
	if !ok {
		problem(w, http.StatusBadRequest, "limit is not a number from 1 to 100")
		return
	}
	if !ok2 {
		problem(w, http.StatusBadRequest, "offset is not a number from 0 to 1000000")
		return
	}
	d, err := f.Discovery(r.Context(), q.Get("type"), limit, offset)
	if err != nil {
		f.Log.ErrorContext(r.Context(), "listing resources", "error", err)
		problem(w, http.StatusServiceUnavailable, "the list cannot be read now")
		return
	}
	reply(w, http.StatusOK, d)
}

func number(text string, usual, low, high int) (int, bool) {
	if text == "" {
		return usual, true
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= low && n <= high
}

func problem(w http.ResponseWriter, status int, text string) {
	reply(w, status, map[string]string{"error": text})
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	body, err := json.Marshal(v)
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"error":"the answer cannot be written"}`)
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // the caller has left
}
