// Package widget has the web component <railkit-widget>, which shows what metadata of a widget say, and pays. Its
// source is the folder src, plain modules without a package of others; dist is what pages load, one file made of them.
//
// src/element.js is where to begin: load.js fetches and judges, plan.js says what a button would send, wallet.js and
// backend.js are the two ways to send it.
package widget

import _ "embed"

//go:generate go test . -run TestWidget_Generated -update

// Script is the component as a page loads it.
//
//go:embed dist/railkit-widget.js
var Script []byte
