// Keys of the grading queue. Each key presses a button or opens a link that stands on the page.
"use strict";

const current = () => document.querySelector(".queue-item[aria-current]");
const items = () => [...document.querySelectorAll(".queue-item")];
const ARROWS = { ArrowRight: "j", ArrowLeft: "k" };
const PANE = "queue-pane";

function markCurrent(item) {
  if (!item || item === current()) return;
  current()?.removeAttribute("aria-current");
  item.setAttribute("aria-current", "true");
  item.querySelector("details")?.setAttribute("open", "");
}

function makeCurrent(item) {
  if (!item) return;
  markCurrent(item);
  item.focus({ preventScroll: true });
  item.scrollIntoView({ block: "start" });
  showCited();
}

// Keys score the criterion that a person works in.
for (const item of items()) item.addEventListener("focusin", () => markCurrent(item));

function step(by) {
  const all = items();
  makeCurrent(all[all.indexOf(current()) + by]);
}

function press(key) {
  const name = `[data-key="${CSS.escape(key)}"]`;
  // A key of a criterion is for the current one; without criteria it is for the whole work.
  const inside = (current() || document.getElementById("whole"))?.querySelector(name);
  const target = inside || document.querySelector(`:not(.queue-item *, #whole *)${name}`);
  target?.click();
  return Boolean(target);
}

// Comments that stand there have links of their own; only that of a new one is meant.
function write() {
  (current()?.querySelector("a[data-write]") || document.querySelector("a[data-write]"))?.click();
}

// The form of a comment arrives by htmx; its field takes the keys then.
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.target.matches(".comment-slot, .reply-slot")) event.target.querySelector("textarea")?.focus();
});

// An entry of the bank with points proposes a score. Its button gets the focus once the comment is
// saved, for pressing it leaves the page; a person presses it.
document.addEventListener("comment-bank:picked", (event) => {
  const item = items().find((row) => row.dataset.criterion === event.detail.criterion);
  if (!item?.dataset.score) return;
  const score = Math.min(5, Math.max(1, Number(item.dataset.score) + Number(event.detail.points)));
  if (!item.querySelector(`[data-key="${score}"]`)) return;
  item.dataset.proposed = score;
  const words = `Inserted. It proposes ${score} of 5: save the comment, then press Enter to give it.`;
  event.target.querySelector("[data-say]").textContent = words;
});

document.addEventListener("htmx:load", (event) => {
  const saved = event.detail.elt;
  const item = saved.matches?.(".comment") && saved.closest(".queue-item[data-proposed]");
  if (!item) return;
  item.querySelector(`[data-key="${item.dataset.proposed}"]`)?.focus();
  delete item.dataset.proposed;
});

// -- keys ---------------------------------------------------------------------------------------

const list = document.getElementById("keys-list");
const dialog = document.createElement("dialog");
dialog.className = "panel";
dialog.setAttribute("aria-label", "Keys");
document.body.append(dialog);
dialog.addEventListener("close", () => document.getElementById("keys").append(list));

function showKeys() {
  const close = document.createElement("form");
  close.method = "dialog";
  close.innerHTML = '<button type="submit" class="quiet">Close</button>';
  dialog.replaceChildren(list, close);
  dialog.showModal();
}

document.addEventListener("keydown", (event) => {
  const isField = event.target.matches("textarea, select, input:not([type=hidden])") || event.target.isContentEditable;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.target.form?.querySelector("[data-save]")?.click();
  if (isField && event.key === "Escape") { (event.target.closest(".queue-item") || document.body).focus(); event.target.blur(); }
  if (isField || dialog.open || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const key = ARROWS[event.key] || event.key;
  const acts = { "[": () => step(-1), "]": () => step(1), "?": showKeys, c: write };
  if (acts[key]) acts[key]();
  else if (!/^[1-5jkugrfop]$/.test(key) || !press(key)) return;
  event.preventDefault();
});

// -- code and PDF beside the criteria -------------------------------------------------------------

const pane = document.getElementById("pane");
const placeOf = (link) => new URL(link.href, location.href);
const kindOf = (link) => placeOf(link).pathname.match(/\/audits\/[^/]+\/(code|pdf)\/$/)?.[1];
let isAsked = false;

function show(address, asked) {
  if (!window.htmx) return;
  isAsked = asked;
  // Of a blind reader's pane the heading with the address of the repository is left out.
  const parts = pane.dataset.blind ? ":not(.trail, .opening)" : ":not(.trail)";
  const swap = "innerHTML ignoreTitle:true";
  // With an anchor, htmx would scroll the whole page to it.
  window.htmx.ajax("GET", address.split("#")[0], { target: pane, swap, select: `#content > .wide > ${parts}` });
}

function cited(kind) {
  const links = [...(current()?.querySelectorAll("details a") || [])].filter(kindOf);
  return kind ? links.find((link) => kindOf(link) === kind) : links[0];
}

// Show the first place that the current criterion cites, of the kind that the reader chose if there is one.
function showCited() {
  const kind = sessionStorage.getItem(PANE);
  const link = cited(kind) || cited() || document.querySelector(`[data-pane="${kind || "code"}"]`) || document.querySelector("[data-pane]");
  if (link && link.href !== pane.dataset.shown) show(link.href, false);
  if (link) pane.dataset.shown = link.href;
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (link.origin !== location.origin || !kindOf(link) || !window.htmx) return;
  event.preventDefault();
  if (link.dataset.pane) sessionStorage.setItem(PANE, link.dataset.pane);
  const target = (link.dataset.pane && cited(link.dataset.pane)) || link;
  pane.dataset.shown = target.href;
  show(target.href, true);
});

pane.addEventListener("htmx:afterSwap", () => {
  // Headings of another page, below this page's own "Work".
  for (const heading of pane.querySelectorAll("h1, h2")) heading.setAttribute("aria-level", heading.tagName === "H1" ? "3" : "4");
});
pane.addEventListener("htmx:afterSettle", (event) => {
  if (event.target !== pane) return;
  pane.scrollTop = 0;
  const row = pane.querySelector("#cited");
  const offset = row ? row.getBoundingClientRect().top - pane.getBoundingClientRect().top : 0;
  pane.scrollTop += offset - pane.clientHeight / 3;
  // Where the pane stands below the criteria, as on a phone, whoever asked for a place is led to it.
  if (isAsked) pane.focus({ preventScroll: matchMedia("(min-width: 56rem)").matches });
});

document.addEventListener("htmx:responseError", (event) => {
  if (event.detail.target === pane) pane.textContent = "This place could not be loaded.";
});

// -- where the page begins ------------------------------------------------------------------------

const named = document.getElementById(location.hash.slice(1));
if (named?.matches(".queue-item")) makeCurrent(named);
else current()?.focus({ preventScroll: true });
window.addEventListener("load", showCited);
