// The rubric editor without round trips to the server. Every button also works as a plain post.
"use strict";

const root = document.documentElement;
const form = document.getElementById("editor");
const within = (node, selector) => node.querySelector(selector);
const every = (node, selector) => [...node.querySelectorAll(selector)];
root.classList.add("js");

const say = (words) => { within(form, "[data-say]").textContent = words; };
const titleOf = (item) => within(item, "[data-title]")?.textContent || within(item, "input")?.value || "";
const wordFor = (item) => item.dataset.item;
const number = (text) => Number(String(text).trim().replace(",", ".")) || 0;
const plain = (value) => String(Math.round(value * 1000) / 1000);

// -- unsaved changes --------------------------------------------------------------------------

let changed = form.hasAttribute("data-typed");
function touch() {
  changed = true;
  const chip = within(form, "[data-unsaved]");
  if (!form.hasAttribute("data-typed")) chip.hidden = false;
}
window.addEventListener("beforeunload", (event) => { if (changed) event.preventDefault(); });
form.addEventListener("submit", (event) => { if (!event.submitter?.hasAttribute("formaction")) changed = false; });

// -- copies of blanks -------------------------------------------------------------------------------

let made = 0;
function copyOf(selector, path) {
  const holder = document.createElement("template");
  holder.innerHTML = document.querySelector(selector).innerHTML.replaceAll("__path__", path);
  return holder.content;
}

function add(button) {
  const path = button.dataset.add;
  const list = within(form, `[data-list="${CSS.escape(path)}"]`);
  made += 1;
  list.append(copyOf(`[data-blank-of="${list.dataset.blank}"]`, `${path}.n${made}`));
  const item = list.lastElementChild;
  within(item, "input[type=text], textarea").focus();
  refresh();
  touch();
  say(`Added a ${wordFor(item)} at the end.`);
}

// -- moving and removing ----------------------------------------------------------------------------

const items = (list) => [...list.children].filter((child) => child.matches("[data-item]"));

function announce(item) {
  const all = items(item.parentElement);
  say(`${titleOf(item) || "It"} is now ${wordFor(item)} ${all.indexOf(item) + 1} of ${all.length}.`);
  touch();
}

function step(item, down) {
  const all = items(item.parentElement);
  const other = all[all.indexOf(item) + (down ? 1 : -1)];
  if (other) (down ? other.after(item) : other.before(item));
  announce(item);
}

function remove(item) {
  const title = titleOf(item);
  const note = document.createElement(item.tagName);
  const cell = item.tagName === "TR" ? note.appendChild(document.createElement("td")) : note;
  const back = document.createElement("button");
  if (item.tagName === "TR") cell.colSpan = 5;
  note.className = "removed";
  back.type = "button";
  back.textContent = "Undo";
  back.addEventListener("click", () => { note.replaceWith(item); refresh(); within(item, "[data-do=remove]").focus(); });
  cell.append(`Removed the ${wordFor(item)}${title ? ` “${title}”` : ""}. `, back);
  item.replaceWith(note);
  back.focus();
  refresh();
  touch();
  say(`Removed the ${wordFor(item)}${title ? ` ${title}` : ""}.`);
}

form.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.add) { event.preventDefault(); add(button); }
  const item = button.dataset.do && button.closest("[data-item]");
  if (!item) return;
  event.preventDefault();
  if (button.dataset.do === "remove") { remove(item); return; }
  step(item, button.dataset.do === "down");
  button.focus();
});

// -- dragging: only by the grip, and only within a list ---------------------------------------------

let dragged = null;
form.addEventListener("pointerdown", (event) => {
  const item = event.target.closest(".grip")?.closest("[data-item]");
  if (item) item.draggable = true;
});
form.addEventListener("pointerup", (event) => {
  const item = event.target.closest("[data-item]");
  if (item) item.draggable = false; // or no text in it could be chosen any more
});
form.addEventListener("dragstart", (event) => {
  dragged = event.target.closest?.("[data-item]");
  if (!dragged) return;
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", "");
  dragged.classList.add("dragged");
});
form.addEventListener("dragover", (event) => {
  const over = dragged && [...dragged.parentElement.children].find((child) => child.contains(event.target));
  if (!over) return;
  event.preventDefault();
  if (over === dragged) return;
  const box = over.getBoundingClientRect();
  (event.clientY > box.top + box.height / 2 ? over.after(dragged) : over.before(dragged));
});
form.addEventListener("drop", (event) => { if (dragged) event.preventDefault(); });
form.addEventListener("dragend", () => {
  if (!dragged) return;
  dragged.classList.remove("dragged");
  dragged.draggable = false;
  announce(dragged);
  dragged = null;
});

// -- the fields of a check's kind; texts typed for another kind are kept ---------------------------

function changeKind(select) {
  const check = select.closest("[data-item]");
  const own = within(check, "[data-own]");
  const kept = within(check, "[data-leftovers]");
  const typed = new Map(every(kept, "input").map((input) => [input.name, input.value]));
  for (const input of every(own, "input[type=text], textarea, select")) if (input.value) typed.set(input.name, input.value);
  own.replaceChildren(copyOf(`[data-own-of="${CSS.escape(select.value)}"]`, check.id));
  for (const input of every(own, "input[type=text], textarea, select")) {
    const isChoice = input.tagName === "SELECT";
    if (!typed.has(input.name) || (isChoice && ![...input.options].some((option) => option.value === typed.get(input.name)))) continue;
    input.value = typed.get(input.name);
    typed.delete(input.name);
  }
  kept.replaceChildren(...[...typed].map(([name, value]) => Object.assign(document.createElement("input"), { type: "hidden", name, value })));
  within(check, "[data-kind-name]").textContent = select.selectedOptions[0].dataset.called || select.selectedOptions[0].textContent;
}

// -- the trial of a check; a worker's answer is asked for until it is there ---------------

const TRIAL_PAUSE_MS = 1500;
const work = document.getElementById("try-work");

async function tryCheck(check) {
  const place = within(check, "[data-trial]");
  const typed = new FormData();
  const sent = ["csrfmiddlewaretoken", "seen", "stored", work.name];
  const path = form.elements.stored ? check.id : "criteria.0.checks.0";
  for (const [field, value] of new FormData(form)) {
    if (field.startsWith(`${check.id}.`)) typed.append(`${path}${field.slice(check.id.length)}`, value);
    else if (sent.includes(field)) typed.append(field, value);
  }
  typed.set("do", `try ${path}`);
  const asked = place.dataset.trial = String(Date.now());
  place.setAttribute("aria-busy", "true");
  do {
    try {
      const answer = await fetch(work.dataset.tryAddress, { method: "POST", body: typed });
      if (!answer.ok || answer.redirected) throw new Error(answer.status);
      const html = await answer.text();
      if (place.dataset.trial !== asked || !place.isConnected) return; // pressed again, or removed
      place.innerHTML = html;
    } catch {
      place.textContent = "This could not be loaded. Press the button to try again.";
    }
    if (within(place, "[data-wait]")) await new Promise((done) => { setTimeout(done, TRIAL_PAUSE_MS); });
  } while (within(place, "[data-wait]"));
  place.removeAttribute("aria-busy");
}

form.addEventListener("click", (event) => {
  const button = event.target.closest("[data-try]");
  if (!button) return;
  event.preventDefault();
  tryCheck(button.closest("[data-item=check]"));
});
work?.addEventListener("change", () => {
  for (const words of every(form, "[data-work]")) words.textContent = work.selectedOptions[0].textContent;
});

// -- sums and titles --------------------------------------------------------------------------------

function show(name, value) {
  const place = within(form, `[data-sum="${name}"]`);
  if (place) place.textContent = value;
}

function refresh() {
  const criteria = every(form, "[data-item=criterion]");
  const texts = (field) => criteria.map((item) => form.elements[`${item.id}.${field}`]?.value ?? "");
  const points = texts("max_points").filter((text) => text.trim());
  if (!within(form, "[data-list=criteria]")) return;
  show("criteria", criteria.length);
  show("checks", every(form, "[data-item=check]").length);
  show("weight", plain(texts("weight").reduce((sum, text) => sum + number(text || "1"), 0)));
  show("points", points.length ? plain(points.reduce((sum, text) => sum + number(text), 0)) : "none");
  for (const item of criteria) {
    const checks = every(item, "[data-item=check]").length;
    const worth = form.elements[`${item.id}.max_points`].value.trim();
    within(item, "[data-doubt]").textContent = doubtOf(every(item, "[data-item=level]"), worth);
    within(item, "[data-size]").textContent = `${checks} check${checks === 1 ? "" : "s"}${worth ? `, ${worth} points` : ""}`;
  }
}

// Levels and points that differ: no fault, but seldom intended.
function doubtOf(levels, worth) {
  const top = Math.max(...levels.map((level) => number(form.elements[`${level.id}.points`].value)));
  if (!levels.length || (worth && number(worth) === top)) return "";
  if (!worth) return "The levels have points, but the criterion has no maximum: it will be worth 0 points.";
  return `The best level is worth ${plain(top)} points, the criterion ${worth}.`;
}

function retitle(input) {
  const item = input.closest("[data-item]");
  const field = { criterion: "name", check: "goal" }[item?.dataset.item];
  if (field && input.name === `${item.id}.${field}`) within(item, "[data-title]").textContent = input.value || `New ${wordFor(item)}`;
}

// -- sliders and presets ----------------------------------------------------------------------------

const WIDEST = 5; // of a weight, which has no bound of its own; the field beside it takes any number

function slide(input) {
  const range = Object.assign(document.createElement("input"), { type: "range" });
  const holder = document.createElement("div");
  range.min = input.dataset.least || 0;
  range.max = input.dataset.most || WIDEST;
  range.step = "whole" in input.dataset ? 1 : Number(range.max) <= 1 ? 0.05 : 0.25;
  range.value = input.value || input.placeholder || range.min;
  range.setAttribute("aria-label", `${input.labels[0].textContent}, slider`);
  range.addEventListener("input", () => { input.value = range.value; input.dispatchEvent(new Event("input", { bubbles: true })); });
  input.addEventListener("input", () => { range.value = number(input.value); });
  holder.className = "slider";
  input.replaceWith(holder);
  holder.append(range, input);
}

const preset = document.querySelector("[data-preset]");
const presets = JSON.parse(document.getElementById("presets")?.textContent ?? "{}");

function idle(box) {
  within(form, `[data-rule-dials="${box.dataset.applies}"]`)?.classList.toggle("idle", !box.checked);
}

function takePreset() {
  for (const [name, text] of Object.entries(presets[preset.value] ?? {})) {
    const input = form.elements[name];
    if (!input) continue;
    if (input.type === "checkbox") { input.checked = Boolean(text); if (input.dataset.applies) idle(input); continue; }
    input.value = text;
    const range = input.previousElementSibling;
    if (range?.type === "range") range.value = text || range.min;
  }
}

function makeOwn(input) {
  if (!preset || preset.value === "own" || !input.name?.startsWith("constitution.") || input === preset) return;
  const id = form.elements["constitution.id"];
  if (id.value === preset.value) id.value = `${preset.value}-changed`;
  preset.value = "own";
  say("You are now using custom rules.");
}

// -- decisions of the typed rules -------------------------------------------------------------------

const decisions = document.querySelector("[data-decisions]");
const isControl = (input) => input.name?.startsWith("table-");
const isRule = (input) => input.name?.startsWith("constitution.") || input.id === "text";
const SENT = /^(?:csrfmiddlewaretoken$|seen$|text$|constitution\.|table-)/; // not the criteria: nothing here reads them
const PAUSE_MS = 150; // one request for what is typed, or for the steps of a slider
const requests = {};
let pause;
let isReviewStale = true;

async function load(name) {
  const part = within(decisions, `[data-part=${name}]`);
  const typed = new FormData();
  for (const [field, value] of new FormData(form)) if (SENT.test(field)) typed.append(field, value);
  typed.set("part", name);
  requests[name]?.abort();
  const { signal } = requests[name] = new AbortController();
  part.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(decisions.dataset.decisions, { method: "POST", body: typed, signal });
    if (!answer.ok || answer.redirected) throw new Error(answer.status);
    part.innerHTML = await answer.text();
  } catch {
    if (signal.aborted) return;
    part.textContent = "This could not be loaded. Press “Show decisions” to try again.";
  }
  part.removeAttribute("aria-busy");
}

// The table comes first: the review of all circumstances takes longer, and only the rules change it.
async function decide() {
  await load("table");
  if (!isReviewStale) return;
  isReviewStale = false;
  await load("review");
}

function decideSoon(input) {
  if (!decisions || !(isControl(input) || isRule(input))) return;
  if (isRule(input) || input.name === "table-against") isReviewStale = true;
  clearTimeout(pause);
  pause = setTimeout(decide, input.matches("select, [type=checkbox]") ? 0 : PAUSE_MS);
}

if (decisions) {
  within(decisions, "[value=decisions]").addEventListener("click", (event) => { event.preventDefault(); isReviewStale = true; decide(); });
  // Enter would press the first button of the form, which saves.
  decisions.addEventListener("keydown", (event) => { if (event.key === "Enter" && isControl(event.target)) event.preventDefault(); });
  if (!within(decisions, "[data-part=table]").textContent.trim()) decide();
}

// -- all together -----------------------------------------------------------------------------------

form.addEventListener("input", (event) => {
  decideSoon(event.target);
  if (isControl(event.target) || event.target === work) return;
  retitle(event.target); makeOwn(event.target); refresh(); touch();
});
form.addEventListener("change", (event) => {
  if (event.target.matches("[data-kind]")) changeKind(event.target);
  if (event.target.matches("[data-applies]")) idle(event.target);
  if (event.target === preset) takePreset();
});
for (const input of every(form, ".dials [inputmode=decimal]")) slide(input);

const text = document.getElementById("text");
for (const button of document.querySelectorAll("[data-line]")) {
  button.addEventListener("click", () => {
    const before = text.value.split("\n").slice(0, Number(button.dataset.line) - 1).join("\n");
    const start = before.length + (before ? 1 : 0);
    const end = text.value.indexOf("\n", start);
    text.focus();
    text.setSelectionRange(start, end < 0 ? text.value.length : end);
    text.scrollTop = (text.scrollHeight / text.value.split("\n").length) * (Number(button.dataset.line) - 4);
  });
}

// The link of a problem opens a panel that may be folded.
function unfold() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  target?.scrollIntoView({ block: "center" });
}
window.addEventListener("hashchange", unfold);
if (location.hash) unfold();
