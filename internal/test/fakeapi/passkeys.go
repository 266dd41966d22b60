package fakeapi

import (
	"encoding/base64"
	"net/http"

	"github.com/fxamacker/cbor/v2"
	"github.com/google/uuid"

	"github.com/railkit/railkit/enclave/wire"
)

// RPID is the relying party of the challenges.
const RPID = "localhost"

func (s *Server) challenge(w http.ResponseWriter, r *http.Request) {
	challenge := base64.RawURLEncoding.EncodeToString([]byte(random(16)))
	respond(w, r, http.StatusCreated, object{
		"challenge": object{
			"rp": object{"id": RPID, "name": "Railkit"}, "challenge": challenge,
			"user":             object{"id": "dXNlcg", "name": "user", "displayName": "user"},
			"pubKeyCredParams": []object{{"type": "public-key", "alg": -7}},
		},
		"encodedChallenge": challenge, "expiresAt": now(), "ceremonyUrl": ceremonyURL(),
	}, nil)
}

func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Email, Name, Label, EncodedChallenge, RecoveryPublicKey string
		Attestation                                             wire.Attestation
	}
	if !read(w, r, &in) {
		return
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	sub := wire.SubOrganization{
		ID: uuid.NewString(), WorkspaceID: "workspace", UserID: uuid.NewString(), CreatedAt: now(),
	}
	owners := wire.Owners{
		Credentials: []wire.Credential{{
			CredentialID: in.Attestation.CredentialID, PublicKey: publicKeyOf(in.Attestation),
			UserID: sub.UserID, Email: in.Email,
		}},
		RecoveryPublicKey: in.RecoveryPublicKey,
	}
	s.owners[sub.ID] = owners
	s.record(sub.ID)
	proof := s.Prove(wire.Statement{
		Kind: wire.KindResult, OrganizationID: sub.ID, Fingerprint: fingerprint(sub.ID),
		Activity: wire.CreateSubOrganization, Result: &wire.Result{SubOrganization: &sub, Owners: &owners},
	})
	respond(w, r, http.StatusCreated, object{
		"passkeyId": uuid.NewString(), "subOrganizationId": sub.ID, "userId": sub.UserID,
		"createdAt": sub.CreatedAt, "proof": proof,
	}, nil)
}

// publicKeyOf reads the COSE key another way than the client does.
func publicKeyOf(a wire.Attestation) string {
	raw, _ := base64.RawURLEncoding.DecodeString(a.AttestationObject)
	var object struct {
		AuthData []byte `cbor:"authData"`
	}
	if cbor.Unmarshal(raw, &object) != nil || len(object.AuthData) < 55 {
		return ""
	}
	rest := object.AuthData[55+int(object.AuthData[53])<<8+int(object.AuthData[54]):]
	var key cbor.RawMessage
	if _, err := cbor.UnmarshalFirst(rest, &key); err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(key)
}

func (s *Server) passkeys() []object {
	list := []object{}
	for id, owners := range s.owners {
		for _, c := range owners.Credentials {
			list = append(list, object{
				"id": c.CredentialID, "credentialId": c.CredentialID, "publicKey": c.PublicKey, "label": "Passkey",
				"aaguid": c.AAGUID, "transports": []string{"internal"}, "userId": c.UserID, "email": c.Email,
				"subOrganizationId": id, "createdAt": s.began, "lastUsedAt": nil,
			})
		}
	}
	return list
}

func (s *Server) listPasskeys(w http.ResponseWriter, r *http.Request) {
	s.lock.Lock()
	defer s.lock.Unlock()
	respond(w, r, http.StatusOK, s.passkeys(), nil)
}

func (s *Server) renamePasskey(w http.ResponseWriter, r *http.Request) {
	var in struct{ Label string }
	if !read(w, r, &in) {
		return
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, p := range s.passkeys() {
		if p["id"] == r.PathValue("id") {
			p["label"] = in.Label
			respond(w, r, http.StatusOK, p, nil)
			return
		}
	}
	fail(w, r, http.StatusNotFound, "not_found", "Passkey not found")
}
