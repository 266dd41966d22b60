package platform

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/session"
	"github.com/railkit/railkit/platform/team"
	"github.com/railkit/railkit/rest"
)

const authTag = "Login"

// members are the callers of the self-service operations: members who are logged in.
var members = []auth.Kind{auth.BySession}

func registerAuth(s *edge.Server, logins *session.Service) {
	registerInvitations(s, logins)
	registerLogin(s, logins)
	registerOwn(s, logins)
}

// invitationToken authenticates by possession: whoever presents the token is the invitee.
type invitationToken struct {
	Token string `json:"token" minLength:"1" maxLength:"100"`
}

// loginAnswer is what the browser answers to a login's challenge.
type loginAnswer struct {
	Credential session.Credential `json:"credential" doc:"What PublicKeyCredential.toJSON() gives"`
}

// loginPasskeyInput is a further passkey of a member.
type loginPasskeyInput struct {
	Credential session.Credential `json:"credential" doc:"What PublicKeyCredential.toJSON() gives"`
	Label      string             `json:"label,omitempty" maxLength:"64"`
}

type acceptInput struct {
	Token      string             `json:"token" minLength:"1" maxLength:"100"`
	Credential session.Credential `json:"credential" doc:"What PublicKeyCredential.toJSON() gives"`
	Label      string             `json:"label,omitempty" maxLength:"64" doc:"Name of the passkey, for its list"`
}

func registerInvitations(s *edge.Server, logins *session.Service) {
	edge.PublicCall(s, edge.Op{
		ID: "openInvitation", Path: "/v1/auth/invitations/open", Tag: authTag, Dashboard: true,
		Summary: "Read what an invitation is for, and get the options for the passkey that accepts it",
	}, func(ctx context.Context, in *edge.Body[invitationToken]) (session.InvitationOpened, error) {
		return logins.OpenInvitation(ctx, in.Body.Token)
	})
	edge.PublicWrite[session.Opened](s, edge.Op{
		ID: "acceptInvitation", Path: "/v1/auth/invitations/accept", Tag: authTag, Status: 201, Dashboard: true,
		Cookie:  true,
		Summary: "Accept an invitation with a new passkey, and become a member",
	}, func(ctx context.Context, cmd *command.Command, in *edge.Body[acceptInput]) (command.Answer, error) {
		answer, refresh, err := logins.AcceptInvitation(ctx, cmd, in.Body.Token, in.Body.Credential, in.Body.Label)
		return setCookie(ctx, answer, refresh, err)
	})
}

// setCookie hands the refresh token to the browser, and to nobody else.
func setCookie[T any](ctx context.Context, answer T, refresh session.Refresh, err error) (T, error) {
	if err == nil {
		edge.JarOf(ctx).Set(refresh.Token, refresh.ExpiresAt)
	}
	return answer, err
}

func registerLogin(s *edge.Server, logins *session.Service) {
	edge.PublicCall(s, edge.Op{
		ID: "beginLogin", Path: "/v1/auth/login/begin", Tag: authTag, Dashboard: true,
		Summary: "Get a login challenge for a member's passkey",
	}, func(ctx context.Context, _ *struct{}) (session.LoginOptions, error) {
		return logins.BeginLogin(ctx)
	})
	edge.PublicWrite[session.Opened](s, edge.Op{
		ID: "finishLogin", Path: "/v1/auth/login/finish", Tag: authTag, Status: 201, Dashboard: true, Cookie: true,
		Summary: "Log in with the passkey's answer to the challenge",
	}, func(ctx context.Context, cmd *command.Command, in *edge.Body[loginAnswer]) (command.Answer, error) {
		answer, refresh, err := logins.FinishLogin(ctx, cmd, in.Body.Credential)
		return setCookie(ctx, answer, refresh, err)
	})
	edge.PublicCall(s, edge.Op{
		ID: "refreshSession", Path: "/v1/auth/refresh", Tag: authTag, Dashboard: true, Cookie: true,
		Summary:     "Get a new access token with the login's cookie",
		Description: "The cookie is replaced at each call. One that was replaced more than 10 seconds ago ends the session.",
	}, func(ctx context.Context, _ *struct{}) (session.Opened, error) {
		opened, refresh, err := logins.Refresh(ctx, edge.JarOf(ctx).Value)
		return setCookie(ctx, opened, refresh, err)
	})
	edge.PublicWrite[edge.Empty](s, edge.Op{
		ID: "logout", Path: "/v1/auth/logout", Tag: authTag, Dashboard: true, Cookie: true, Natural: true,
		Summary: "Log out: end the session of the cookie",
	}, func(ctx context.Context, cmd *command.Command, _ *struct{}) (command.Answer, error) {
		jar := edge.JarOf(ctx)
		answer, err := logins.Logout(ctx, cmd, jar.Value)
		if err == nil { // else the session lives, and only the cookie can end it
			jar.Clear()
		}
		return answer, err
	})
}

// idPath names one of the caller's own.
type idPath struct {
	ID string `path:"id" maxLength:"64"`
}

func registerOwn(s *edge.Server, logins *session.Service) {
	edge.Get(s, edge.Op{
		ID: "getMe", Path: "/v1/auth/me", Tag: authTag, Callers: members,
		Summary: "Get the logged-in member and its workspace",
	},
		func(ctx context.Context, p auth.Principal, _ *struct{}) (session.Me, error) { return logins.Me(ctx, p) })
	edge.Get(s, edge.Op{
		ID: "listLoginPasskeys", Path: "/v1/auth/passkeys", Tag: authTag, Callers: members,
		Summary: "List the logged-in member's login passkeys",
	},
		func(ctx context.Context, p auth.Principal, _ *struct{}) ([]session.LoginPasskeyView, error) {
			return logins.Passkeys(ctx, p)
		})
	edge.Call(s, edge.Op{
		ID: "createLoginPasskeyChallenge", Path: "/v1/auth/passkeys/challenge", Tag: authTag, Callers: members,
		Access:  auth.AccessRead,
		Summary: "Get a challenge for one more login passkey",
	}, func(ctx context.Context, p auth.Principal, _ *struct{}) (session.PasskeyOptions, error) {
		return logins.AskPasskey(ctx, p)
	})
	edge.Write[session.LoginPasskeyView](s, edge.Op{
		ID: "addLoginPasskey", Path: "/v1/auth/passkeys", Tag: authTag, Status: 201, Callers: members,
		Access:  auth.AccessRead,
		Summary: "Add a login passkey",
	}, func(ctx context.Context, cmd *command.Command, in *edge.Body[loginPasskeyInput]) (command.Answer, error) {
		return logins.AddPasskey(ctx, cmd, in.Body.Credential, in.Body.Label)
	})
	edge.Write[team.Removed](s, edge.Op{
		ID: "deleteLoginPasskey", Method: "DELETE", Path: "/v1/auth/passkeys/{id}", Tag: authTag, Callers: members,
		Access:  auth.AccessRead,
		Summary: "Delete a login passkey, except the last",
	}, func(ctx context.Context, cmd *command.Command, in *idPath) (command.Answer, error) {
		return logins.DeletePasskey(ctx, cmd, in.ID)
	})
	edge.Get(s, edge.Op{
		ID: "getNotifications", Path: "/v1/auth/notifications", Tag: authTag, Callers: members,
		Summary: "Get which mails the logged-in member gets, and in which language",
	}, func(ctx context.Context, p auth.Principal, _ *struct{}) (rest.Notifications, error) {
		return logins.Notifications(ctx, p)
	})
	edge.Write[rest.Notifications](s, edge.Op{
		ID: "changeNotifications", Method: "PATCH", Path: "/v1/auth/notifications", Tag: authTag, Callers: members,
		Access:      auth.AccessRead,
		Summary:     "Change which mails the logged-in member gets, and in which language",
		Description: "Mails that are not sent yet follow the change. Security notices cannot be switched off.",
	}, func(
		ctx context.Context, cmd *command.Command, in *edge.Body[rest.NotificationsChange],
	) (command.Answer, error) {
		return logins.SetNotifications(ctx, cmd, in.Body)
	})
	edge.Get(s, edge.Op{
		ID: "listSessions", Path: "/v1/auth/sessions", Tag: authTag, Callers: members,
		Summary: "List the logged-in member's sessions",
	},
		func(ctx context.Context, p auth.Principal, _ *struct{}) ([]session.SessionView, error) {
			return logins.Sessions(ctx, p)
		})
	edge.Write[team.Removed](s, edge.Op{
		ID: "endSession", Method: "DELETE", Path: "/v1/auth/sessions/{id}", Tag: authTag, Callers: members,
		Access:  auth.AccessRead,
		Summary: "End one of the logged-in member's sessions",
	}, func(ctx context.Context, cmd *command.Command, in *idPath) (command.Answer, error) {
		return logins.EndSession(ctx, cmd, in.ID)
	})
}
