package stories_test

import "testing"

// A key that INTERNAL makes is no ADMIN, and who is no ADMIN raises no limit.
func TestPlatform_KeyBeyondItsMaker(t *testing.T) {
	w := newWorkspaceWorld(t)
	for _, body := range []string{`{"name":"k","scopes":["admin"]}`, `{"name":"k","rateLimits":{"standard":200}}`} {
		a := w.Do(w.Keys.InternalKey, "POST", w.ws+"/api-keys", body)
		if a.Status != 403 || a.Field("error") != "key_beyond_caller" {
			t.Errorf("%s: %d %s", body, a.Status, a.Body)
		}
	}
}

func TestPlatform_TooManyKeys(t *testing.T) {
	w := newWorkspaceWorld(t)
	id := ""
	for made := 4; made < 100; made++ { // the sandbox's workspace has four
		id, _ = w.newKey(`{"name":"k"}`)
	}
	a := w.Do(w.Keys.InternalKey, "POST", w.ws+"/api-keys", `{"name":"k"}`)
	if a.Status != 422 || a.Field("error") != "too_many_api_keys" {
		t.Fatalf("one more: %d %s", a.Status, a.Body)
	}
	w.want(200, w.Keys.InternalKey, "DELETE", w.ws+"/api-keys/"+id, "")
	w.want(201, w.Keys.InternalKey, "POST", w.ws+"/api-keys", `{"name":"k"}`)
}
