package crash_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testenv"
	"github.com/railkit/railkit/internal/test/x402test"
	railkit "github.com/railkit/railkit/sdk/go"
)

// The points at which a server dies that sells a call of a skill, and how often the skill was called for the one
// payment: where nobody kept the answer, nobody knows that it was called.
var skillPoints = map[string]int64{
	"skill_purchase.claimed.before-commit": 1, "skill_purchase.claimed.after-commit": 1,
	"skill_purchase.called.before-commit": 2, "skill_purchase.called.after-commit": 1,
	"executeSkill.before-commit": 1, "executeSkill.after-commit": 1, "executeSkill.before-response": 1,
}

// stall is where a skill is sold: its own server, and the facilitator of its platform.
type stall struct {
	*apptest.Processes
	t      *testing.T
	chain  *x402test.Chain
	skill  *railkit.Skill
	payTo  evm.Address
	called atomic.Int64
}

func newStall(t *testing.T, engine string) *stall {
	t.Helper()
	s := &stall{t: t}
	skill := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = fmt.Fprintf(w, `{"call":%d}`, s.called.Add(1))
	}))
	t.Cleanup(skill.Close)
	var settles http.Handler
	facilitator := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		settles.ServeHTTP(w, r)
	}))
	t.Cleanup(facilitator.Close)
	s.Processes = apptest.NewProcesses(t, engine,
		"RAILKIT_FACILITATOR_URL="+facilitator.URL, "RAILKIT_FETCH_LOCAL="+strings.TrimPrefix(skill.URL, "http://"))
	s.chain = x402test.ChainAt(t, s.DevnetURL)
	settles = s.chain.Facilitator().Handler()
	c := s.Client()
	seller := s.Fund(c, "seller@example.com")
	var err error
	if s.payTo, err = evm.ParseAddress(seller.Address.Address); err != nil {
		t.Fatal(err)
	}
	if s.skill, err = c.Skills.Create(t.Context(), railkit.SkillRequest{
		Name: "Weather", URL: skill.URL, CostUSDC: 1000, PayTo: seller.Address.Address, Network: "base",
	}); err != nil {
		t.Fatal(err)
	}
	return s
}

// The server dies at each step of a sale. Whoever sends the same request again gets the answer, the seller gets the
// price once, and the skill is called once, but where its answer was lost.
func TestAgents_SkillSaleCrashes(t *testing.T) {
	t.Parallel()
	for _, engine := range testenv.Sample(t, []string{"sqlite", "postgres"}, 1) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newStall(t, engine)
			w := &world{Processes: s.Processes, t: t}
			buyer := s.chain.Buyer("1")
			for point, calls := range skillPoints {
				_, name, value := s.chain.Pay(buyer, s.chain.Offer("1000", s.payTo))
				had, called := s.chain.Balance(s.payTo), s.called.Load()
				s.Arm(apptest.Server, point)
				path, key := "/v1/action/skills/"+s.skill.ID+"/execute", uuid.NewString()
				var answer apptest.Answer
				w.until(point, func() (err error) {
					answer, err = do("POST", w.BaseURL+path, `{"input":{"city":"Rome"}}`,
						"Authorization", "ApiKey "+w.Keys.BenchKey, "Idempotency-Key", key, name, value)
					if err == nil && answer.Status == http.StatusConflict { // a dead server's claim lasts for a minute
						s.Edit("UPDATE skill_purchases SET busy_until = 1")
						err = fmt.Errorf("it is busy")
					}
					return err
				})
				if err := w.dead(apptest.Server, point); err != nil {
					t.Error(err)
				}
				if answer.Status != 200 || !strings.Contains(answer.Body, `"payment":{"transaction":"0x`) {
					t.Errorf("%s: %d %s", point, answer.Status, answer.Body)
				}
				moved, made := s.chain.Balance(s.payTo)-had, s.called.Load()-called
				if moved != 1000 || made != calls {
					t.Errorf("%s: the seller got %d for %d calls, want %d", point, moved, made, calls)
				}
			}
		})
	}
}
