package issuer

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

// The ways in which a token is refused.
var (
	ErrChanged = fault.Define(fault.Conflict, "token_issuer_changed",
		"Who issues %s on %s has changed: %s. Nothing of it is paid or credited until the operator has looked and run: %s",
		"On Solana, the mint's authorities, program, decimals or extensions are not those that the server kept. "+
			"details.changes says which; the operator lists them with railkit admin token list, and accepts them with "+
			"railkit admin token accept")
	ErrUnknown = fault.DefineRefusal(fault.Upstream, "token_issuer_unknown",
		"Who issues %s on %s is not known now: %s",
		"The nodes of the network contradict each other about the mint, or none answers, or one does not while the "+
			"mint is seen for the first time; nothing was signed; retry with back-off")
)

// Config is what a Service needs.
type Config struct {
	Store  Store
	Nodes  map[string]node.Issuing // by network; tokens of others are not looked at
	Tokens []Token                 // that Run looks at
	Every  time.Duration           // between two looks; default Every
	Clock  clock.Clock
	Log    *slog.Logger
}

// Every is how often a server asks who issues each token.
const Every = 10 * time.Second

// Service knows whether the issuer of a token is who was kept.
type Service struct {
	Config
	mu      sync.Mutex
	said    map[Token]answer
	unknown map[Token]string // why Run found a token's issuer unknown at its last look; "" where it was known
}

// answer is what the nodes said.
type answer struct {
	facts      Facts
	whole      bool // every node did
	at         time.Time
	remembered bool // they were not asked now
}

// New makes a Service.
func New(c Config) *Service {
	if c.Every <= 0 {
		c.Every = Every
	}
	return &Service{Config: c, said: map[Token]answer{}, unknown: map[Token]string{}}
}

// Run looks at every token again and again until the context ends, so that a payment seldom has to ask.
func (s *Service) Run(ctx context.Context) {
	if len(s.Tokens) == 0 {
		return
	}
	tick := time.NewTicker(s.Every)
	defer tick.Stop()
	for {
		for _, t := range s.Tokens {
			if err := s.check(ctx, t, true); ctx.Err() == nil {
				s.noteLook(ctx, t, err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// noteLook logs when a token begins to be held because its issuer is not known, and when that ends.
func (s *Service) noteLook(ctx context.Context, t Token, err error) {
	why := s.whyUnknown(t, err)
	s.mu.Lock()
	before := s.unknown[t]
	s.unknown[t] = why
	s.mu.Unlock()
	where := []any{"network", t.Network, "token", t.Symbol}
	switch {
	case why == before:
	case why == "":
		s.Log.InfoContext(ctx, "who issues a token is known again", where...)
	default:
		s.Log.WarnContext(ctx, "who issues a token is not known: nothing of it is paid or credited meanwhile",
			append(where, "error", err)...)
	}
}

// whyUnknown is why payments and deposits of a token are held after a look that ended with err; "" where they are not,
// or where its issuer is known and changed, which see logs. While the nodes' last answer still counts, payments go by
// it, and a look that failed holds nothing yet. The texts of causes are left out: they can name another port each time.
func (s *Service) whyUnknown(t Token, err error) string {
	_, fresh := s.remembered(t)
	f, told := fault.As(err)
	switch {
	case err == nil, errors.Is(err, ErrChanged), errors.Is(err, ErrUnknown) && fresh:
		return ""
	case told:
		return f.Message
	}
	return "the database does not tell what was kept"
}

// Unknown tells of each listed token whether it is held because its issuer is not known, as Run found last.
func (s *Service) Unknown() map[Token]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[Token]bool{}
	for _, t := range s.Tokens {
		all[t] = s.unknown[t] != ""
	}
	return all
}

// Check refuses a token whose issuer is not who was kept, or is not known. Of a network whose nodes tell no issuers it
// refuses nothing.
func (s *Service) Check(ctx context.Context, network, token string) error {
	if s.Nodes[network] == nil {
		return nil
	}
	return s.check(ctx, s.named(network, token), false)
}

// Held are those of some tokens that Check refuses: nobody is credited what came of them.
func (s *Service) Held(ctx context.Context, network string, tokens []string) (held []string) {
	for _, token := range tokens {
		if err := s.Check(ctx, network, token); err != nil {
			s.Log.DebugContext(ctx, "deposits of a token are held", "network", network, "token", token, "error", err)
			held = append(held, token)
		}
	}
	return held
}

// named is a token with its symbol, where it is listed.
func (s *Service) named(network, token string) Token {
	for _, t := range s.Tokens {
		if t.Network == network && t.Address == token {
			return t
		}
	}
	return Token{network, token, token}
}

// check holds what the nodes say, or anew say, against what was kept, and writes down what is new. Where another server
// has heard something else than this one remembers, the nodes are asked again.
func (s *Service) check(ctx context.Context, t Token, anew bool) error {
	said, err := s.ask(ctx, t, anew)
	if err != nil {
		return ErrUnknown.Msg(t.Symbol, t.Network, reason(err)).Because(err)
	}
	kept, found, err := s.Store.Issuer(ctx, t.Network, t.Address)
	switch {
	case err != nil:
		return err
	case !found:
		if kept, err = s.keep(ctx, t, said); err != nil {
			return err
		}
	}
	if kept.Seen != said.facts {
		if said.remembered {
			return s.check(ctx, t, true)
		}
		if err := s.see(ctx, kept, said.facts); err != nil {
			return err
		}
		kept.Seen = said.facts
	}
	if kept.Kept == kept.Seen {
		return nil
	}
	changes := kept.Changed()
	return ErrChanged.Msg(t.Symbol, t.Network, strings.Join(changes, "; "), kept.Command()).
		With("changes", changes).With("hash", kept.Seen.Hash())
}

// Command is what the operator types to accept what was seen.
func (i Issuer) Command() string {
	return "railkit admin token accept --network " + i.Network + " --token " + i.Address + " --hash " + i.Seen.Hash()
}

func reason(err error) string {
	if errors.Is(err, node.ErrDisagree) {
		return "the nodes contradict each other"
	}
	return "no node answers"
}

// remembered is what the nodes said last; fresh is whether that still counts. Run asks three times in that time.
func (s *Service) remembered(t Token) (last answer, fresh bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last, known := s.said[t]
	return last, known && time.Since(last.at) < 3*s.Every
}

// ask is what the nodes say, or said not long ago.
func (s *Service) ask(ctx context.Context, t Token, anew bool) (answer, error) {
	if last, fresh := s.remembered(t); fresh && !anew {
		last.remembered = true
		return last, nil
	}
	facts, whole, err := s.Nodes[t.Network].Issuer(ctx, t.Address)
	if err != nil {
		return answer{}, err
	}
	now := answer{facts: factsOf(facts), whole: whole, at: time.Now()}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said[t] = now
	return now, nil
}

// keep writes down a first sight, once every node has said the same. Where another server was faster, what that heard
// is kept.
func (s *Service) keep(ctx context.Context, t Token, said answer) (Issuer, error) {
	if !said.whole {
		s.mu.Lock()
		delete(s.said, t) // the next one asks all again
		s.mu.Unlock()
		return Issuer{}, ErrUnknown.Msg(t.Symbol, t.Network, "at first sight every node has to answer")
	}
	now := s.Clock.Now()
	i := Issuer{Token: t, Kept: said.facts, KeptAt: now, Seen: said.facts, SeenAt: now}
	err := s.Store.Work(ctx, Platform, func(ctx context.Context, tx Tx) (command.Audit, error) {
		return command.Audit{
			Action: "token.keep_issuer", Resource: t.Network + "/" + t.Address,
			After: map[string]any{"issuer": i.Kept.Lines(), "hash": i.Kept.Hash()},
		}, tx.KeepIssuer(ctx, i)
	})
	switch {
	case err == nil:
		s.Log.InfoContext(ctx,
			"who issues a token is kept", "network", t.Network, "token", t.Symbol, "issuer", i.Kept.Lines())
		return i, nil
	case !errors.Is(err, record.ErrStale):
		return Issuer{}, err
	}
	i, found, err := s.Store.Issuer(ctx, t.Network, t.Address)
	if err == nil && !found {
		err = record.ErrStale
	}
	return i, err
}

// see writes down what the nodes say now. The server that is first says so in its log.
func (s *Service) see(ctx context.Context, was Issuer, seen Facts) error {
	err := record.Do(ctx, s.Store, Platform, func(ctx context.Context, tx Tx) error {
		return tx.SeeIssuer(ctx, was, seen, s.Clock.Now())
	})
	if err != nil {
		return record.UnlessStale(err)
	}
	where := []any{"network", was.Network, "token", was.Symbol}
	if was.Seen = seen; was.Kept == seen {
		s.Log.InfoContext(ctx, "a token has the issuer again that was kept", where...)
		return nil
	}
	s.Log.WarnContext(ctx,
		"who issues a token has changed: nothing of it is paid or credited until the operator accepts it",
		append(where, "changes", was.Changed(), "accept", was.Command())...)
	return nil
}
