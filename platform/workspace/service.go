package workspace

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/platform/auth"
)

// Reader finds one workspace. It is all that most packages need of workspaces.
type Reader interface {
	Workspace(ctx context.Context, id string) (Workspace, error)
}

// Service makes workspaces and their keys.
type Service struct {
	store Store
	clock clock.Clock
}

// New makes a Service.
func New(store Store, clk clock.Clock) *Service { return &Service{store: store, clock: clk} }

// KeySpec is a key to be.
type KeySpec struct {
	Name   string
	Text   string // the whole key; empty: made here
	Scopes []auth.Scope
	Limits auth.Limits
}

// Ensure makes the workspace and the keys that do not exist yet. Called again
// with the same texts it changes nothing.
func (s *Service) Ensure(ctx context.Context, w Workspace, keys ...KeySpec) error {
	if w.CreatedAt.IsZero() {
		w.CreatedAt = s.clock.Now()
		w.UpdatedAt = w.CreatedAt
	}
	if err := s.store.EnsureWorkspace(ctx, w); err != nil {
		return fmt.Errorf("making a workspace: %w", err)
	}
	for _, spec := range keys {
		if spec.Text == "" {
			return errors.New("making a workspace: a key without text would be another one at each start")
		}
		if err := s.put(ctx, w, spec); err != nil {
			return err
		}
	}
	return nil
}

// AddKey makes a key for a workspace that exists and returns its text, which
// nothing can show again.
func (s *Service) AddKey(ctx context.Context, workspaceID string, spec KeySpec) (string, error) {
	w, err := s.store.Workspace(ctx, workspaceID)
	if err != nil {
		return "", err
	}
	if spec.Text == "" {
		if spec.Text, err = auth.GenerateKey(); err != nil {
			return "", err
		}
	}
	return spec.Text, s.put(ctx, w, spec)
}

// Workspace finds a workspace.
func (s *Service) Workspace(ctx context.Context, id string) (Workspace, error) {
	return s.store.Workspace(ctx, id)
}

// Tenant is what every call needs to know of a workspace.
func (s *Service) Tenant(ctx context.Context, id string) (auth.Tenant, error) {
	w, err := s.store.Workspace(ctx, id)
	return w.Tenant(), err
}

func (s *Service) put(ctx context.Context, w Workspace, spec KeySpec) error {
	if !auth.WellFormed(spec.Text) {
		return fmt.Errorf("making the API key %q: its text is not of the form of a key", spec.Name)
	}
	key, err := s.key(w, spec.Text)
	if err != nil {
		return err
	}
	key.Name, key.Scopes, key.Limits = spec.Name, spec.Scopes, spec.Limits
	if err := s.store.EnsureKey(ctx, key); err != nil {
		return fmt.Errorf("making an API key: %w", err)
	}
	return nil
}

// key is a key of the workspace with the text, and without a name or any right.
func (s *Service) key(w Workspace, text string) (auth.Key, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return auth.Key{}, fmt.Errorf("making an API key: %w", err)
	}
	return auth.Key{
		WorkspaceID: w.ID, ID: id.String(), Hash: auth.Hash(text), Prefix: auth.Prefix(text),
		LastFour: auth.LastFour(text), Environment: w.Environment, CreatedAt: s.clock.Now(),
	}, nil
}
