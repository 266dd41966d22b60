// Package stories has the tests of several packages that need the whole server,
// each of them in files named after its subject: logins, members, a workspace's
// keys and settings, the audit record, agents, the page for recipients. They are
// one test program because each program that starts the server links all of it,
// which takes 2.5 s of a processor, and starts a chain of its own. Tests that need
// no server are beside the code they test.
package stories
