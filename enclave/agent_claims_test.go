package enclave

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
)

func TestAgents_ForgedRequests(t *testing.T) {
	w := newTimed(t)
	w.later()
	b := w.bot(w.register("alice@example.com"), "Buyer")
	other := w.bot(w.register("bob@example.com"), "Buyer")
	const path, body = "/v1/agents/events/batch", `{"events":[]}`
	good := b.signed("POST", path, w.at(0), body)
	for name, change := range map[string]func(*wire.VerifyAgentRequest){
		"another path":         func(q *wire.VerifyAgentRequest) { q.Path = path + "/" },
		"a path with a query":  func(q *wire.VerifyAgentRequest) { q.Path = path + "?a=b" },
		"another method":       func(q *wire.VerifyAgentRequest) { q.Method = "PUT" },
		"said to be a read":    func(q *wire.VerifyAgentRequest) { q.Method = "GET" },
		"method in lower case": func(q *wire.VerifyAgentRequest) { q.Method = "post" },
		"border moved":         func(q *wire.VerifyAgentRequest) { q.Method, q.Path = "POST/v1", path[3:] },
		"no method":            func(q *wire.VerifyAgentRequest) { q.Method, q.Path = "", "POST"+path },
		"another body":         func(q *wire.VerifyAgentRequest) { q.BodyHash = wire.Digest(body + " ") },
		"no body":              func(q *wire.VerifyAgentRequest) { q.BodyHash = wire.Digest("") },
		"an empty object":      func(q *wire.VerifyAgentRequest) { q.BodyHash = wire.Digest("{}") },
		"no hash":              func(q *wire.VerifyAgentRequest) { q.BodyHash = "" },
		"another timestamp":    func(q *wire.VerifyAgentRequest) { q.Timestamp = w.at(1) },
		"upper-case signature": func(q *wire.VerifyAgentRequest) { q.MAC = strings.ToUpper(q.MAC) },
		"truncated signature":  func(q *wire.VerifyAgentRequest) { q.MAC = q.MAC[:62] },
		"longer signature":     func(q *wire.VerifyAgentRequest) { q.MAC += "00" },
		"no signature":         func(q *wire.VerifyAgentRequest) { q.MAC = "" },
		"two signatures":       func(q *wire.VerifyAgentRequest) { q.MAC += "," + q.MAC },
		"signature of zeros":   func(q *wire.VerifyAgentRequest) { q.MAC = strings.Repeat("0", 64) },
		"another agent":        func(q *wire.VerifyAgentRequest) { q.AgentID = other.id },
		"an unknown agent":     func(q *wire.VerifyAgentRequest) { q.AgentID = "7d1f0c7e-1111-4222-8333-944455556666" },
		"nobody":               func(q *wire.VerifyAgentRequest) { q.AgentID = "nobody" },
		"no agent":             func(q *wire.VerifyAgentRequest) { q.AgentID = "" },
		"agent in capitals":    func(q *wire.VerifyAgentRequest) { q.AgentID = strings.ToUpper(q.AgentID) },
		"9 digits":             func(q *wire.VerifyAgentRequest) { *q = b.signed("POST", path, w.at(0)[:9], body) },
		"11 digits":            func(q *wire.VerifyAgentRequest) { *q = b.signed("POST", path, "0"+w.at(0), body) },
		"milliseconds":         func(q *wire.VerifyAgentRequest) { *q = b.signed("POST", path, w.at(0)+"000", body) },
		"full-width digits":    func(q *wire.VerifyAgentRequest) { *q = b.signed("POST", path, "１"+w.at(0)[1:], body) },
		"a plus sign":          func(q *wire.VerifyAgentRequest) { *q = b.signed("POST", path, "+"+w.at(0)[1:], body) },
		"a minus sign":         func(q *wire.VerifyAgentRequest) { *q = b.signed("POST", path, "-"+w.at(0)[1:], body) },
		"a space":              func(q *wire.VerifyAgentRequest) { *q = b.signed("POST", path, " "+w.at(0)[1:], body) },
		"an exponent":          func(q *wire.VerifyAgentRequest) { *q = b.signed("POST", path, "1.7000e+09", body) },
		"no timestamp":         func(q *wire.VerifyAgentRequest) { q.Timestamp = "" },
		"a secret cut by one": func(q *wire.VerifyAgentRequest) {
			*q = bot{b.id, b.secret[:61]}.signed("POST", path, w.at(0), body)
		},
		"an endless path": func(q *wire.VerifyAgentRequest) {
			*q = b.signed("POST", "/"+strings.Repeat("x", 2048), w.at(0), body)
		},
	} {
		q := good
		change(&q)
		_, err := w.VerifyAgent(q)
		refused(t, name, err, refusal.ErrAgentAuth)
	}
	w.accepted("the good one", good)
}

func TestAgents_UnknownLooksLikeAWrongSignature(t *testing.T) {
	w := newTimed(t)
	b := w.bot(w.register("alice@example.com"), "Buyer")
	wrong, unknown := b.signed("GET", "/v1", w.at(0), ""), b.signed("GET", "/v1", w.at(0), "")
	wrong.MAC, unknown.AgentID = unknown.BodyHash, "7d1f0c7e-1111-4222-8333-944455556666"
	w.refusedClaim("wrong signature", wrong, decide.ErrNotSigned)
	w.refusedClaim("unknown agent", unknown, decide.ErrNotSigned)
}

func TestAgents_Drift(t *testing.T) {
	w := newTimed(t)
	b := w.bot(w.register("alice@example.com"), "Buyer")
	w.advance(2 * time.Minute) // the start is long ago
	for seconds, good := range map[int]bool{
		-3600: false, -61: false, -60: true, 0: true, 60: true, 61: false, 1 << 30: false,
	} {
		for _, method := range []string{"GET", "HEAD", "POST", "DELETE"} {
			q := b.signed(method, "/v1/agents", w.at(seconds), "")
			if what := method + " " + strconv.Itoa(seconds); good {
				w.accepted(what, q)
			} else {
				w.refusedClaim(what, q, refusal.ErrAgentTime)
			}
		}
	}
}

func TestAgents_EmptyObjectCountsAsNoBody(t *testing.T) {
	w := newTimed(t)
	b := w.bot(w.register("alice@example.com"), "Buyer")
	w.later()
	q := b.signed("POST", "/v1/agents", w.at(0), "")
	q.BodyHash = wire.Digest("{}")
	w.accepted("{} signed as nothing", q)
	w.refusedClaim("again", q, decide.ErrReplayed)
	q.BodyHash = wire.Digest("")
	w.refusedClaim("its signature with no body", q, decide.ErrReplayed)
	w.accepted("{} signed as it is", b.signed("POST", "/v1/agents", w.at(0), "{}"))
	q = b.signed("POST", "/v1/agents", w.at(0), "")
	q.BodyHash = wire.Digest("{ }")
	w.refusedClaim("{ } signed as nothing", q, decide.ErrNotSigned)
}

func TestAgents_ReplayOfAWrite(t *testing.T) {
	w := newTimed(t)
	b := w.bot(w.register("alice@example.com"), "Buyer")
	w.later()
	read, write, ahead := b.signed("GET", "/v1/agents", w.at(0), ""), b.signed("POST",
		"/v1/agents", w.at(0), "{}"), b.signed("POST", "/v1/agents", w.at(60), "{}")
	for range 3 {
		w.accepted("a read", read)
	}
	w.accepted("a write", write)
	w.accepted("one ahead", ahead)
	for range 60 {
		w.refusedClaim("again", write, decide.ErrReplayed)
		w.advance(time.Second)
	}
	w.refusedClaim("after a minute", write, decide.ErrReplayed)
	w.advance(time.Second)
	w.refusedClaim("after that", write, refusal.ErrAgentTime)
	for range 59 {
		w.refusedClaim("the one ahead", ahead, decide.ErrReplayed)
		w.advance(time.Second)
	}
	w.refusedClaim("the one ahead, at its last second", ahead, decide.ErrReplayed)
	w.advance(time.Second)
	w.refusedClaim("the one ahead, after that", ahead, refusal.ErrAgentTime)
	w.accepted("a new write", b.signed("POST", "/v1/agents", w.at(0), "{}"))
	if n := w.agents.replays.all; n != 1 {
		t.Errorf("%d signatures are remembered", n)
	}
}

// What a restarted enclave has forgotten it refuses, wherever its clock stands.
func TestAgents_ReplayAfterARestart(t *testing.T) {
	for name, checkpoint := range map[string]bool{"replayed": false, "checkpoint": true} {
		for _, back := range []time.Duration{0, 30 * time.Second, 24 * time.Hour} {
			t.Run(name+" "+back.String(), func(t *testing.T) {
				w := newTimed(t)
				alice := w.register("alice@example.com")
				b, calm := w.bot(alice, "Buyer"), w.bot(alice, "Calm")
				w.advance(61 * time.Second)
				var writes []wire.VerifyAgentRequest
				for _, seconds := range []int{-59, -1, 0, 1, 2, 9, 30, 60} {
					writes = append(writes, b.signed("POST", "/v1/agents", w.at(seconds),
						`{"n":`+strconv.Itoa(seconds)+`}`))
					w.accepted("the first time", writes[len(writes)-1])
				}
				if checkpoint {
					w.checkpointNow()
				}
				w.advance(-back)
				w.reopen()
				for i, q := range writes {
					if _, err := w.VerifyAgent(q); err == nil {
						t.Errorf("write %d was accepted again", i)
					}
				}
				for range 130 {
					w.advance(time.Second)
					for i, q := range writes {
						if _, err := w.VerifyAgent(q); err == nil {
							t.Fatalf("write %d was accepted again", i)
						}
					}
				}
				if back == 0 {
					w.accepted("a new write", calm.signed("POST", "/v1/agents", w.at(0), ""))
				}
			})
		}
	}
}

// After a start an agent waits for no more than a few seconds, whatever others did.
func TestAgents_OthersDoNotWait(t *testing.T) {
	w := newTimed(t)
	alice := w.register("alice@example.com")
	hasty, calm := w.bot(alice, "Hasty"), w.bot(alice, "Calm")
	w.later()
	w.accepted("a write ahead", hasty.signed("POST", "/v1/agents", w.at(60), ""))
	w.accepted("a write", calm.signed("POST", "/v1/agents", w.at(0), ""))
	w.reopen()
	w.refusedClaim("at once", calm.signed("POST", "/v1/agents", w.at(0), "{}"), refusal.ErrAgentAgain)
	w.accepted("a read at once", calm.signed("GET", "/v1/agents", w.at(0), ""))
	_, err := w.VerifyAgent(calm.signed("POST", "/v1/agents", w.at(0), "{}"))
	if f, _ := fault.As(err); f == nil || f.RetryAfter <= 0 || f.RetryAfter > 6*time.Second {
		t.Errorf("%v, and no sensible time to wait", err)
	}
	w.advance(6 * time.Second)
	w.accepted("after 6 seconds", calm.signed("POST", "/v1/agents", w.at(0), ""))
	w.refusedClaim("the hasty one", hasty.signed("POST", "/v1/agents", w.at(0), ""), refusal.ErrAgentAgain)
	w.advance(65 * time.Second)
	w.accepted("the hasty one later", hasty.signed("POST", "/v1/agents", w.at(0), ""))
}

func TestAgents_JournalDoesNotGrowPerCall(t *testing.T) {
	w := newTimed(t)
	b := w.bot(w.register("alice@example.com"), "Buyer")
	w.later()
	before := w.journal.Durable().Seq
	for i := range 600 {
		w.accepted("a write", b.signed("POST", "/v1/agents", w.at(i%3), strconv.Itoa(i)))
		w.accepted("a read", b.signed("GET", "/v1/agents", w.at(0), ""))
		w.advance(100 * time.Millisecond)
	}
	if grown := w.journal.Durable().Seq - before; grown > 1+60/3 {
		t.Errorf("%d entries in a minute of 600 writes", grown)
	}
}

func TestAgents_Killed(t *testing.T) {
	w := newTimed(t)
	alice := w.register("alice@example.com")
	sealed, err := w.keyring.keys.CreateSecret(alice.org, "7d1f0c7e-1111-4222-8333-944455556666")
	if err != nil {
		t.Fatal(err)
	}
	b := bot{id: "7d1f0c7e-1111-4222-8333-944455556666"}
	_ = w.keyring.keys.UseSecret(alice.org, b.id, sealed, func(text []byte) error {
		b.secret = string(text)
		return nil
	})
	w.mu.Lock()
	_, err = w.record(decide.Event{Kind: decide.EventAgent, OrganizationID: alice.org, Agent: &decide.NewAgent{
		Agent: wire.Agent{ID: b.id, Name: "Buyer", Status: wire.AgentKilled}, Sealed: sealed,
	}})
	w.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		w.refusedClaim("its request", b.signed("GET", "/v1/agents", w.at(0), ""), refusal.ErrAgentKilled)
		w.refusedClaim("a stranger's", bot{b.id, "x"}.signed("GET", "/v1/agents", w.at(0), ""), decide.ErrNotSigned)
		if a, err := w.Agent(wire.AgentRequest{AgentID: b.id}); err != nil || a.Status != wire.AgentKilled {
			t.Errorf("%+v, %v", a, err)
		}
		w.reopen()
	}
}

func TestAgents_MemoryIsBounded(t *testing.T) {
	r := newReplays()
	n := 0
	fill := func(agent string, count int) {
		for range count {
			n++
			r.add(1000, signature{byte(n), byte(n >> 8), byte(n >> 16)}, agent)
		}
	}
	fill("a", perAgent-1)
	if r.full("a") {
		t.Error("full before its bound")
	}
	fill("a", 1)
	if !r.full("a") || r.full("b") {
		t.Error("over its bound and not full, or another is")
	}
	for i := range allAgents/perAgent - 1 {
		fill(strconv.Itoa(i), perAgent)
	}
	fill("b", share-1)
	if r.full("b") || r.full("new") {
		t.Error("an agent below its share is refused")
	}
	if fill("b", 1); !r.full("b") {
		t.Error("all is full, and an agent over its share is not refused")
	}
	r.forget(1000 + replayLife)
	if r.all == 0 {
		t.Error("forgotten while it could come again")
	}
	if r.forget(1000 + replayLife + 1); r.all != 0 || len(r.at)+len(r.agents) != 0 || r.full("a") {
		t.Errorf("%d are kept", r.all)
	}
}

// An agent that is over its bound waits, and nobody else does.
func TestAgents_FullMemoryRefusesOne(t *testing.T) {
	w := newTimed(t)
	alice := w.register("alice@example.com")
	busy, calm := w.bot(alice, "Busy"), w.bot(alice, "Calm")
	w.later()
	at := w.now.Load().Unix()
	w.mu.Lock()
	for i := range perAgent {
		w.agents.replays.add(at, signature{byte(i), byte(i >> 8)}, busy.id)
	}
	w.mu.Unlock()
	w.refusedClaim("over the bound", busy.signed("POST", "/v1/agents", w.at(0), ""), refusal.ErrAgentBusy)
	w.accepted("a read of it", busy.signed("GET", "/v1/agents", w.at(0), ""))
	w.accepted("another's write", calm.signed("POST", "/v1/agents", w.at(0), ""))
	w.advance(61 * time.Second)
	w.accepted("later", busy.signed("POST", "/v1/agents", w.at(0), ""))
}
