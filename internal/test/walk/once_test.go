package walk_test

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testenv"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/internal/test/walk"
	"github.com/railkit/railkit/platform/auth"
)

// callers is how many call at once under one key.
var callers = map[bool]int{false: 8, true: 64}[testenv.Nightly()]

// harmless are the operations that are no reads by their method and change
// nothing all the same, each with the reason.
var harmless = map[string]string{
	"openCeremony":  "shows what a link stands for; the link is in the body, so that no log has it",
	"leaveCeremony": "shows where the page of a link leads",
	"openInvite":    "the same of a recipient's link",
	"openAlert":     "the same of a mail's link",

	"receivePartnerNotice": "keeps what the partner says, once for each event and object; " +
		"kit/payout's tests of notices send it again",

	"failOrder":   "tells the sandbox's partner what becomes of a payment; the server keeps nothing of it",
	"returnOrder": "the same", "delayOrder": "the same", "clearOrder": "the same",

	"buildNativeTransfer":     "makes metadata of its body, and keeps nothing",
	"buildSwap":               "makes metadata of its body, and keeps nothing",
	"buildCrosschainTransfer": "the same", "buildCrosschainBridge": "the same",

	"makeSupply":     "makes an unsigned transaction, and keeps nothing",
	"makeAvaxSupply": "the same", "makeAvaxWithdrawal": "the same",
	"makeSupplyByProtocol": "the same", "makeAvaxSupplyByProtocol": "the same",
	"makeAvaxWithdrawalByProtocol": "the same",

	"testSkill": "calls the skill's own server, once for each request; the platform keeps nothing of it",

	"quoteOffRamp": "says a price that is not kept",
	"quoteOnRamp":  "the same",
	"openInvitation": "the same of an invitation; the challenge that it leaves behind is good " +
		"for 5 minutes",
	"beginLogin":                  "leaves a challenge behind, good for 5 minutes",
	"createLoginPasskeyChallenge": "leaves a challenge behind, good for 5 minutes",
	"refreshSession": "puts one refresh token in the place of another; " +
		"TestPlatform_RefreshRace makes 16 at once",
}

// passed is a call that was answered, to be made again a day later.
type passed struct {
	operation string
	request   walk.Request
	key       string
	first     apptest.Answer
	at        time.Time
}

// Every operation that changes something happens once under its key, however
// many call at once, and whatever else they send under it. I4 and I5, the crashes,
// are internal/test/crash's.
func TestPlatform_I1_I9_Idempotency(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	known := maps.Clone(walk.Mutations)
	slices.SortStableFunc(s.register, publicLast) // for them the clock moves, which gives used up calls back
	for _, op := range s.register {
		make, found := known[op.ID]
		delete(known, op.ID)
		switch {
		case op.Method == http.MethodGet || harmless[op.ID] != "":
			if op.Changes || found {
				t.Errorf("%s is said to change nothing", op.ID)
			}
		case !op.Changes && !op.Natural:
			t.Errorf("%s is %s, and neither runs under a command (edge.Write) nor is declared Natural; "+
				"if it really changes nothing, say why in harmless (internal/test/walk/once_test.go)", op.ID, op.Method)
		case !found:
			t.Errorf(
				"%s changes something, and nothing walks it: "+
					"add a request to Mutations in internal/test/walk/mutations.go", op.ID,
			)
		case walk.Single[op.ID] != "":
			s.now.move(time.Minute) // who has no key is counted by its address
			t.Run(op.ID+"/I9", func(t *testing.T) { s.single(t, make, walk.Single[op.ID]) })
		case op.Natural || op.Public:
			if op.Public && op.ID != "freezeBankAccount" { // whose few calls go into the last one's minute
				s.now.move(time.Minute)
			}
			t.Run(op.ID+"/I9", func(t *testing.T) { s.natural(t, make) })
		default:
			t.Run(op.ID, func(t *testing.T) { s.keyed(t, op.ID, make) })
		}
	}
	for id := range known {
		t.Errorf("internal/test/walk/mutations.go has %s, which no server serves", id)
	}
	t.Run("I6", s.aDayLater)
}

func publicLast(a, b edge.Operation) int {
	if a.Public == b.Public {
		return 0
	}
	if a.Public {
		return 1
	}
	return -1
}

// brief is an answer as far as a test's log needs it.
func brief(a apptest.Answer) string {
	return fmt.Sprintf("%d %.300s", a.Status, a.Body)
}

// keyed walks an operation under an Idempotency-Key. The steps are those of one
// call's life: refused, done, done elsewhere, misused; a day later it is over.
func (s *stage) keyed(t *testing.T, op string, make func(*walk.World) walk.Request) {
	t.Helper()
	key := []string{"Idempotency-Key", uuid.NewString()}
	r, elsewhere := make(s.own), make(s.other)
	t.Run("I8", func(t *testing.T) { s.refused(t, r, key) })
	s.afterwards(t, op)
	before, audits := countRows(t, s.App), audited(t, s.App, op)
	var first apptest.Answer
	at := s.now.Now()
	t.Run("I1", func(t *testing.T) {
		n := callers
		if r.Member != nil || r.Agent != nil {
			n = 12 // nobody raises a member's 20 a minute, and an agent has 60 signatures of one body
		}
		first = s.agree(t, s.together(n, r, key...))
		if n := audited(t, s.App, op) - audits; n != 1 {
			t.Errorf("happened %d times", n)
		}
	})
	s.afterwards(t, op)
	after := countRows(t, s.App)
	t.Run("I3", func(t *testing.T) { s.replays(t, r, key, first) })
	t.Run("I7", func(t *testing.T) {
		got := elsewhere.Send(s.other, key...)
		if got.Status != first.Status || got.Header.Get("Idempotent-Replayed") != "" {
			t.Errorf("the same key in another workspace: %s", brief(got))
		}
		s.afterwards(t, op)
		if once, all := countRows(t, s.App).since(after), after.since(before); once != all {
			t.Errorf("%d calls under a key left %s, one call leaves %s", callers, all, once)
		}
	})
	t.Run("I2", func(t *testing.T) { s.otherwise(t, r, key) })
	t.Run("I10", func(t *testing.T) { s.others(t, r, key) })
	s.afterwards(t, op)
	s.passed = append(s.passed, passed{op, r, key[1], first, at})
}

// afterwards waits for what an operation only sets off: the partner tells of each bank transfer after the answer, and
// its order ends in review. The partner has the machine's clock, and what it tells is refused while ours is more than
// a minute behind that: a slow machine takes longer for all that comes before.
func (s *stage) afterwards(t *testing.T, op string) {
	t.Helper()
	if op != "simulateBankDeposit" {
		return
	}
	defer s.exhaust() // the clock gave its calls back
	testwait.Until(t, "each bank transfer has an order", func() bool {
		s.now.move(max(0, time.Since(s.now.Now())))
		held := count(t, s.App, "SELECT COUNT(*) FROM orders WHERE type = 'on_ramp' AND status = 'in_review'")
		return held == audited(t, s.App, op)
	})
}

// refused uses the key for what is refused: that is no answer to keep.
func (s *stage) refused(t *testing.T, r walk.Request, key []string) {
	t.Helper()
	wrong, late := r, r
	wrong.Body = `{"nobody":"asks for this"}`
	if got := wrong.Send(s.own, key...); got.Status != http.StatusBadRequest {
		t.Errorf("a body that is not allowed: %s", brief(got))
	}
	if r.Authorization != "ApiKey "+s.own.Key {
		return // no other credential of the kind is at its limit
	}
	late.Authorization = "ApiKey " + s.stock
	if got := late.Send(s.own, key...); got.Status != http.StatusTooManyRequests {
		t.Errorf("after the last call of the minute: %s", brief(got))
	}
}

// replays asks once more, later on.
func (s *stage) replays(t *testing.T, r walk.Request, key []string, first apptest.Answer) {
	t.Helper()
	s.now.move(time.Millisecond)
	defer s.now.move(-time.Millisecond)
	got := r.Send(s.own, key...)
	if got.Status != first.Status || got.Body != first.Body || got.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("again: %s\nat first: %s", brief(got), brief(first))
	}
}

// agree says which answer all callers got. A few may have been told to wait.
func (s *stage) agree(t *testing.T, answers []apptest.Answer) apptest.Answer {
	t.Helper()
	var first *apptest.Answer
	waiting, originals := 0, 0
	for i, a := range answers {
		if a.Field("error") == "idempotency_key_in_flight" ||
			a.Status == http.StatusServiceUnavailable && a.Header.Get("Retry-After") != "" {
			waiting++
			continue
		}
		if a.Header.Get("Idempotent-Replayed") == "" {
			originals++
		}
		if first == nil {
			first = &answers[i]
		}
		if a.Status/100 != 2 || a.Body != first.Body || a.Status != first.Status {
			t.Fatalf("answers differ: %s\nand %s", brief(*first), brief(a))
		}
	}
	if first == nil || originals != 1 {
		t.Fatalf("of %d answers %d are originals and %d say to wait", len(answers), originals, waiting)
	}
	return *first
}

// otherwise uses the key for another body and for another route.
func (s *stage) otherwise(t *testing.T, r walk.Request, key []string) {
	t.Helper()
	body, route := r, r
	body.Body += " "
	route.Method, route.Path, route.Body = "POST", walk.ChallengePath+"?integratorId="+
		s.own.WorkspaceID, `{"email":"a@example.com"}`
	if r.Member != nil { // who names no workspace, and may be of one that the request made
		route.Path = walk.ChallengePath
	}
	others := map[string]walk.Request{"another body": body, "another route": route}
	if r.Agent != nil {
		delete(others, "another route") // which takes no agent
	}
	for what, other := range others {
		if got := other.Send(s.own, key...); got.Status != http.StatusUnprocessableEntity ||
			got.Field("error") != "idempotency_key_reused" {
			t.Errorf("%s: %s", what, brief(got))
		}
	}
}

// others has further credentials of the workspace make the call, under its key and
// to the byte. Each is answered by itself: a weaker one is refused, and one with the
// same rights makes a change of its own, or hears why that cannot be.
func (s *stage) others(t *testing.T, r walk.Request, key []string) {
	t.Helper()
	for _, c := range s.colleagues {
		other := r
		other.Authorization, other.Path, other.Agent = "ApiKey "+c.key, r.Path, nil
		if c.across && !strings.HasPrefix(r.Path, "/v1/integrators") {
			other.Path += "?integratorId=" + s.own.WorkspaceID
		}
		got := other.Send(s.own, key...)
		if got.Header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%s has the first caller's answer: %s", c.name, brief(got))
		}
		if c.name == "reader" && got.Field("error") != "insufficient_scope" &&
			got.Field("error") != "authorization_scheme" {
			t.Errorf("a key that may only read: %s", brief(got))
		}
	}
}

// TestPlatform_I10_SecretOfAnother is the attack: an internal key, which may not
// make an admin's, repeats an admin's call under its Idempotency-Key.
func TestPlatform_I10_SecretOfAnother(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	make := walk.Mutations["createApiKey"](s.own)
	make.Body = `{"name":"n","scopes":["admin"]}`
	key := []string{"Idempotency-Key", uuid.NewString()}
	byInternal := make
	byInternal.Authorization = "ApiKey " + s.tenants.key(s.own.WorkspaceID, auth.Internal, nil)
	refused := func() {
		t.Helper()
		if got := byInternal.Send(s.own, key...); got.Status != http.StatusForbidden ||
			got.Field("error") != "key_beyond_caller" {
			t.Errorf("an internal key makes an admin's: %s", brief(got))
		}
	}
	refused()
	first := make.Send(s.own, key...)
	if first.Status != http.StatusCreated {
		t.Fatalf("an admin's key makes another: %s", brief(first))
	}
	refused()
	again := make.Send(s.own, key...)
	if again.Body != first.Body {
		t.Errorf("the admin again: %s", brief(again))
	}
}

// single walks an operation whose input is good for once.
func (s *stage) single(t *testing.T, make func(*walk.World) walk.Request, code string) {
	t.Helper()
	r, elsewhere := make(s.own), make(s.other)
	before, done := countRows(t, s.App), 0
	for _, a := range s.together(callers, r) {
		switch {
		case a.Status/100 == 2:
			done++
		case a.Field("error") != code:
			t.Errorf("a second call: %s", brief(a))
		}
	}
	after := countRows(t, s.App)
	if got := elsewhere.Send(s.other); done != 1 || got.Status/100 != 2 {
		t.Errorf("%d were let through; in another workspace: %s", done, brief(got))
	}
	if once, all := countRows(t, s.App).since(after), after.since(before); once != all {
		t.Errorf("%d calls left %s, one call leaves %s", callers, all, once)
	}
}

// natural walks an operation that has no key: the same again is the same.
func (s *stage) natural(t *testing.T, make func(*walk.World) walk.Request) {
	t.Helper()
	r, elsewhere := make(s.own), make(s.other)
	before := countRows(t, s.App)
	var first *apptest.Answer
	n := callers
	if r.Page || strings.Contains(r.Path, "/invites/") || strings.Contains(r.Path, "/alerts/") {
		n = 24 // a link takes 30 calls a minute
	}
	for _, a := range s.together(n, r) {
		if first == nil {
			first = &a
		}
		if a.Status/100 != 2 || !sameData(a, *first) {
			t.Fatalf("answers differ: %s\nand %s", brief(*first), brief(a))
		}
	}
	after := countRows(t, s.App)
	if got := elsewhere.Send(s.other); got.Status/100 != 2 {
		t.Errorf("in another workspace: %s", brief(got))
	}
	if once, all := countRows(t, s.App).since(after), after.since(before); once != all {
		t.Errorf("%d calls left %s, one call leaves %s", n, all, once)
	}
}

// sameData reports whether two callers were given the same thing. Of what is made
// once, one hears that it was made and the others that it exists.
func sameData(a, b apptest.Answer) bool {
	return a.Body == b.Body || a.Field("data") != nil && reflect.DeepEqual(a.Field("data"), b.Field("data"))
}

// aDayLater calls everything again at both sides of the end of its key's life.
func (s *stage) aDayLater(t *testing.T) {
	for _, p := range s.passed {
		s.now.set(p.at.Add(24*time.Hour - time.Microsecond))
		r := s.today(p.request)
		got := r.Send(s.own, "Idempotency-Key", p.key)
		same := got.Status == p.first.Status && got.Body == p.first.Body &&
			got.Header.Get("Idempotent-Replayed") == "true"
		if !same {
			t.Errorf("%s a microsecond before its day is over: %s\nat first: %s", p.operation,
				brief(got), brief(p.first))
		}
		s.now.move(time.Microsecond)
		got = r.Send(s.own, "Idempotency-Key", p.key)
		if got.Header.Get("Idempotent-Replayed") != "" || got.Status >= 500 || got.Field("error") == "session_invalid" {
			t.Errorf("%s a day later: %s", p.operation, brief(got))
		}
	}
}

// today is the request with a credential of now: no access token lives for a day. A
// member is the same one after a refresh, and after a new login where the session
// was ended.
func (s *stage) today(r walk.Request) walk.Request {
	if r.Member == nil {
		return r
	}
	session := r.Member.Post("/v1/auth/refresh", "")
	if session.Status != http.StatusOK {
		session = r.Member.Login()
	}
	r.Member.Take(session)
	r.Authorization = "Bearer " + r.Member.Access
	return r
}
