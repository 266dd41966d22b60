import assert from "node:assert/strict";
import test from "node:test";

import "./dom.js";
import { backTo } from "../page/back.js";

test("the page leads to the very origin that the button names", () => {
  for (const [origin, rest] of [
    ["https://app.example.com", ""], ["https://app.example.com", "/"], ["https://app.example.com", "?id=1&outcome=done"],
    ["https://app.example.com:8443", "/a/b?x=%20"], ["http://localhost:3000", "/x"], ["http://localhost", "/"],
  ]) {
    const to = backTo({ origin, url: origin + rest });
    assert.equal(to?.origin, origin, origin + rest);
  }
});

test("the page leads nowhere else, whatever the server says", () => {
  const origin = "https://app.example.com";
  for (const url of [
    undefined, null, 7, "", "x", "/x", "//app.example.com/", "javascript:alert(1)", "javascript://app.example.com/%0aalert(1)", "data:text/html,x",
    "blob:https://app.example.com/0", "http://app.example.com/", "https://app.example.com.evil.example/", "https://app.example.com@evil.example/",
    "https://app.example.com:pass@evil.example/", "https://user@app.example.com/", "https://app.example.com\\@evil.example/", "https:\\\\app.example.com/",
    "https://app.example.com:8443/", "https://evil.example/?https://app.example.com", " https://app.example.com/", "https://app.example.com\\x",
    "https://APP.example.com/", "https://app.example.com#x",
  ]) assert.equal(backTo({ origin, url }), null, String(url));
  for (const odd of [undefined, null, "", "null", "https://evil.example", "https://app.example.com/", "javascript:"]) {
    assert.equal(backTo({ origin: odd, url: "https://app.example.com/" }), null, String(odd));
  }
  assert.equal(backTo({ origin: "http://app.example.com", url: "http://app.example.com/" }), null);
  assert.equal(backTo({}), null);
  assert.equal(backTo(), null);
});
