// The widget's own style, in its shadow tree. A constructed sheet is no inline style to a Content-Security-Policy.

const light = `--ground: #ffffff; --ink: #16181d; --soft: #5b6270; --line: #dfe2e8; --edge: #8d95a3; --sunk: #f4f5f7;
  --blue: #1f5eff; --blue-ink: #ffffff; --good: #11703c; --good-ground: #e7f5ec; --warn: #7a4a00; --warn-ground: #fff3d9;
  --bad: #b3201f; --bad-ground: #fdeaea;`;
const dark = `--ground: #191c22; --ink: #eceef2; --soft: #9aa3b2; --line: #2c313a; --edge: #6b7382; --sunk: #101216;
  --blue: #7aa2ff; --blue-ink: #0b1020; --good: #6fd69a; --good-ground: #12301f; --warn: #ffd58a; --warn-ground: #33270d;
  --bad: #ff9c99; --bad-ground: #3a1718;`;

const css = `
:host { ${light} display: block; color-scheme: light; }
:host([theme="dark"]) { ${dark} color-scheme: dark; }
@media (prefers-color-scheme: dark) { :host(:not([theme="light"])) { ${dark} color-scheme: dark; } }
:host([hidden]) { display: none; }
* { box-sizing: border-box; }
.card { padding: 20px; border: 1px solid var(--line); border-radius: 16px; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; text-align: start; overflow-wrap: anywhere; }
.card.stop { border: 2px solid var(--bad); padding: 19px; }
header { display: flex; gap: 12px; align-items: center; }
header > div { min-width: 0; }
.icon { flex: none; width: 44px; height: 44px; border-radius: 12px; object-fit: cover; background: var(--sunk); }
.letter { display: grid; place-items: center; font-size: 20px; font-weight: 650; color: var(--soft); }
.letter.bad { background: var(--bad-ground); color: var(--bad); }
.letter.warn { background: var(--warn-ground); color: var(--warn); }
h2, h3, p, dl, dd, fieldset { margin: 0; }
h2 { font-size: 18px; line-height: 1.3; font-weight: 650; }
h3 { font-size: 22px; line-height: 1.25; font-weight: 650; }
h2:focus-visible, h3:focus-visible { outline: none; }
bdi { unicode-bidi: isolate; }
.host { font-size: 14px; line-height: 1.4; color: var(--soft); }
.host .ok { color: var(--good); }
.host .no { color: var(--warn); }
.about { margin-top: 12px; white-space: pre-line; }
.plain, small { color: var(--soft); }
small { display: block; font-size: 14px; margin-top: 4px; }
.action { margin-top: 16px; }
.action + .action { padding-top: 16px; border-top: 1px solid var(--line); }
.action > .plain { margin-bottom: 10px; white-space: pre-line; }
.field { margin-bottom: 4px; padding: 0; border: 0; min-width: 0; }
label, legend { display: block; padding: 0; font-weight: 600; }
.optional { color: var(--soft); font-weight: 400; font-size: 14px; }
.box { position: relative; display: flex; align-items: center; margin-top: 6px; }
.unit { position: absolute; inset-inline-end: 14px; color: var(--soft); pointer-events: none; }
.box:has(.unit) input { padding-inline-end: 72px; }
input:not([type="radio"], [type="checkbox"]), select, textarea { width: 100%; min-height: 48px; padding: 10px 14px;
  border: 1px solid var(--edge); border-radius: 12px; background: var(--ground); color: inherit; font: inherit; }
[aria-invalid] { border-color: var(--bad) !important; box-shadow: 0 0 0 1px var(--bad); }
.choice { display: flex; gap: 10px; align-items: center; min-height: 44px; font-weight: 400; }
.choice input { flex: none; width: 20px; height: 20px; margin: 0; accent-color: var(--blue); }
.choice small { margin: 0; }
.wrong { min-height: 21px; margin-top: 2px; color: var(--bad); font-size: 14px; line-height: 21px; }
button, a.main { display: block; width: 100%; min-height: 48px; padding: 11px 20px; border: 1px solid transparent; border-radius: 12px;
  background: var(--blue); color: var(--blue-ink); font: inherit; font-weight: 650; text-align: center; text-decoration: none; cursor: pointer; }
button + button, a.main + button { margin-top: 8px; }
button.second { background: none; border-color: var(--edge); color: inherit; font-weight: 500; }
button:disabled { opacity: .5; cursor: default; }
:focus-visible { outline: 3px solid var(--blue); outline-offset: 2px; }
.review { margin-top: 16px; padding-top: 16px; border-top: 1px solid var(--line); }
.row { display: grid; grid-template-columns: minmax(84px, 1fr) 3fr; gap: 12px; padding: 9px 0; border-bottom: 1px solid var(--line); }
dt { color: var(--soft); font-size: 14px; line-height: 24px; }
dl { margin: 8px 0 16px; }
code { display: flex; flex-wrap: wrap; column-gap: 6px; font: 14px/24px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.note { margin-top: 12px; padding: 10px 14px; border-radius: 12px; background: var(--sunk); }
.note.good { background: var(--good-ground); color: var(--good); }
.note.warn { background: var(--warn-ground); color: var(--warn); }
.note.bad { background: var(--bad-ground); color: var(--bad); }
.buttons { margin-top: 16px; }
.status { margin-top: 12px; color: var(--soft); font-size: 14px; line-height: 21px; }
.status.wrong { margin-top: 12px; color: var(--bad); }
.status:empty { margin: 0; min-height: 0; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.link { color: var(--blue); }
@media (prefers-reduced-motion: no-preference) {
  .card[aria-busy="true"] .status { animation: breathe 1.6s ease-in-out infinite; }
  @keyframes breathe { 50% { opacity: .5; } }
}
@media (forced-colors: active) { .card, button, .note { border: 1px solid; } }
`;

let sheet;

// styleSheet is one for all widgets of a page.
export function styleSheet() {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
  }
  return sheet;
}
