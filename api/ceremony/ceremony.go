// Package ceremony is the server side of the passkey page: it hands out what one
// link stands for and takes the passkey's answer. It listens on an origin of its
// own, knows no API key, and answers to its own page only.
package ceremony

import (
	"context"
	"log/slog"
	"net/http"
	"slices"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/ceremony"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/kit/signing/recovery"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/ratelimit"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/rest"
)

// Deps is what the page's server stands on.
type Deps struct {
	Signing    *signing.Kit
	Workspaces workspace.Reader
	Origin     string       // of the page, as sealed in the enclave
	Page       http.Handler // its files; nil: none are served
	Links      edge.Limiter // of calls with one link
	Strangers  edge.Limiter // of calls from one network
	Proxies    edge.Proxies
	Meter      edge.Meter // nil: nobody measures
	Clock      clock.Clock
	Log        *slog.Logger
}

// The limits. A page needs two calls, and an attestation is a few KiB.
const (
	maxBody    = 64 << 10
	perNetwork = 300 // a minute
	perLink    = 30
)

type server struct {
	kit        *signing.Kit
	workspaces workspace.Reader
	links      edge.Limiter
}

// New makes the handler of the page's origin.
func New(d Deps) http.Handler {
	e := register(d)
	if d.Page == nil {
		return e
	}
	mux := http.NewServeMux()
	mux.Handle("GET /", d.Page)
	mux.Handle("/", e)
	return mux
}

// Operations lists those of the page.
func Operations() []edge.Operation { return register(Deps{}).Operations() }

func register(d Deps) *edge.Server {
	e := edge.New(edge.Config{
		Clock: d.Clock, Log: d.Log, Meter: d.Meter, Strangers: d.Strangers, Proxies: d.Proxies, Origin: d.Origin,
		MaxBody:       maxBody,
		StrangerLimit: perNetwork,
	})
	s := &server{kit: d.Signing, workspaces: d.Workspaces, links: d.Links}
	edge.PublicCall(e, edge.Op{ID: "openCeremony", Path: "/open", Summary: "What a link stands for"}, s.open)
	edge.PublicWrite[edge.Empty](
		e, edge.Op{ID: "finishCeremony", Path: "/finish", Summary: "Take the passkey's answer"}, s.finish,
	)
	edge.PublicCall(e, edge.Op{
		ID: "leaveCeremony", Path: "/return", Summary: "Where the page leads once the link has ended",
	}, s.back)
	return e
}

// stopping are the links behind which only what stops, tightens or waits is done. A vote is counted by what it says.
var stopping = []link.Kind{
	link.Policy, link.Config, link.Payee, link.Passkey, link.Recovery, link.Lost, link.Recover,
}

// link finds what a token stands for, where its workspace still has the kit. Only
// known ones are counted, so that nobody can crowd them out.
func (s *server) link(
	ctx context.Context, token string, ends bool,
) (c link.Ceremony, w workspace.Workspace, err error) {
	if c, err = s.kit.Links.Find(ctx, token); err != nil {
		return c, w, err
	}
	class := ratelimit.Financial
	if slices.Contains(stopping, c.Kind) || ends {
		class = ratelimit.Stops
	}
	v, err := s.links.Take(ctx, c.TokenHash, class, ratelimit.LimitOf(auth.Limits{Financial: perLink}, class))
	if err == nil {
		err = v.Err()
	}
	if err != nil {
		return c, w, err
	}
	w, err = s.workspaces.Workspace(ctx, c.WorkspaceID)
	if err == nil && !slices.Contains(w.Modules, auth.Signing) {
		err = auth.ErrModule.Msg(auth.Signing)
	}
	return c, w, err
}

type openBody struct {
	Body struct {
		rest.CeremonyToken
		Seqs []string `json:"seqs,omitempty" maxItems:"32" doc:"Entries of the signer's journal that the browser remembers"`
	}
}

func (s *server) open(ctx context.Context, in *openBody) (ceremony.CeremonyView, error) {
	c, w, err := s.link(ctx, in.Body.Token, true)
	if err != nil {
		return ceremony.CeremonyView{}, err
	}
	return s.kit.Ceremonies.Open(ctx, c, w.Name, in.Body.Seqs)
}

func (s *server) back(ctx context.Context, in *edge.Body[rest.CeremonyToken]) (rest.CeremonyReturn, error) {
	c, _, err := s.link(ctx, in.Body.Token, true)
	if err != nil {
		return rest.CeremonyReturn{}, err
	}
	return s.kit.Ceremonies.Back(ctx, c)
}

type finishBody struct {
	Body struct {
		rest.CeremonyToken
		Stamp       *wire.Stamp          `json:"stamp,omitempty"`
		Attestation *passkey.Attestation `json:"attestation,omitempty"`
		Label       string               `json:"label,omitempty" maxLength:"64" doc:"Of the new passkey"`

		RecoveryPublicKey string `json:"recoveryPublicKey,omitempty" pattern:"^0[23][0-9a-f]{64}$" patternDescription:"a compressed P-256 key in lower-case hex" doc:"Without it no recovery is possible"`

		Decline *rest.CeremonyDecline `json:"decline,omitempty" doc:"In place of all others: whoever has the link does not want it. What was prepared is cancelled; an approval goes on waiting for the votes of others"`

		TargetPublicKey string                      `json:"targetPublicKey,omitempty" pattern:"^0[23][0-9a-f]{64}$" patternDescription:"a compressed P-256 key in lower-case hex" doc:"To ask for a recovery"`
		Recovery        *recovery.SyncRecoveryInput `json:"recovery,omitempty" doc:"The new passkey of a recovery"`
	}
}

func (s *server) finish(ctx context.Context, cmd *command.Command, in *finishBody) (command.Answer, error) {
	c, _, err := s.link(ctx, in.Body.Token, in.Body.Decline != nil)
	if err != nil {
		return command.Answer{}, err
	}
	return s.kit.Ceremonies.Finish(ctx, cmd, c, ceremony.FinishInput{
		Stamp: in.Body.Stamp, Attestation: in.Body.Attestation, Label: in.Body.Label,
		RecoveryPublicKey: in.Body.RecoveryPublicKey,
		Decline:           in.Body.Decline, TargetPublicKey: in.Body.TargetPublicKey, Recovery: in.Body.Recovery,
	})
}
