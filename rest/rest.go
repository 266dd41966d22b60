// Package rest is the bodies of the REST API: what the calls take and answer, under
// the names that they have in api/openapi.json, which is made of them. The kits fill
// and read them, and sdk/go gives them to its users under its own name, so that a
// field that is added here is in the document, in the answer and in the client.
//
// A type has plain fields only, and no method that decides anything: who builds an
// answer converts the words of its kit. There is one file for each noun.
package rest
