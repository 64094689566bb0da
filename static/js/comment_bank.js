// The comment bank as a list below its search field. Without this file a search button and a select do the same.
"use strict";

const LIST_DELAY = 150; // milliseconds after a key

function picker(input) {
  const field = input.closest(".bank-picker");
  if (field.list) return field;
  const list = field.querySelector("[role=listbox]");
  field.list = list;
  const given = { role: "combobox", "aria-autocomplete": "list", "aria-controls": list.id, "aria-expanded": "false" };
  for (const [name, value] of Object.entries(given)) input.setAttribute(name, value);
  for (const button of field.querySelectorAll("button")) button.hidden = true;
  list.addEventListener("mousedown", (event) => {
    const option = event.target.closest("[role=option]");
    event.preventDefault(); // the field keeps the focus
    if (option) pick(field, option);
  });
  return field;
}

const inputOf = (field) => field.querySelector("input[name=find]");
const options = (field) => [...field.list.children];
const say = (field, words) => { field.querySelector("[data-say]").textContent = words; };

function close(field) {
  field.list.hidden = true;
  inputOf(field).setAttribute("aria-expanded", "false");
  inputOf(field).removeAttribute("aria-activedescendant");
}

function activate(field, option) {
  for (const other of options(field)) other.setAttribute("aria-selected", String(other === option));
  if (!option) return;
  inputOf(field).setAttribute("aria-activedescendant", option.id);
  option.scrollIntoView({ block: "nearest" });
}

async function search(field) {
  const typed = inputOf(field).value;
  const query = new URLSearchParams({ q: typed, criterion: field.dataset.criterion });
  const answer = await fetch(`${field.dataset.matches}?${query}`, { headers: { "X-Requested-With": "fetch" } });
  if (!answer.ok || typed !== inputOf(field).value) return; // an older answer
  field.list.innerHTML = await answer.text();
  options(field).forEach((option, index) => { option.id = `${field.list.id}-${index}`; });
  const count = options(field).length;
  field.list.hidden = !count;
  inputOf(field).setAttribute("aria-expanded", String(count > 0));
  activate(field, field.list.firstElementChild);
  say(field, count ? `${count} matching` : "No entry matches.");
}

function pick(field, option) {
  const form = field.closest("form");
  const text = form.querySelector("textarea[name=text]");
  text.value = [text.value.trim(), option.dataset.text].filter(Boolean).join("\n\n");
  form.querySelector("input[name=banked]").value = option.dataset.entry;
  inputOf(field).value = "";
  close(field);
  say(field, "Inserted.");
  text.focus();
  const points = Number(option.dataset.points || 0);
  if (!points) return;
  const detail = { points, criterion: field.dataset.criterion };
  form.dispatchEvent(new CustomEvent("comment-bank:picked", { bubbles: true, detail }));
}

// Propose the score in the criterion's own form; it counts only when a person saves it.
document.addEventListener("comment-bank:picked", (event) => {
  const select = event.target.closest(".criterion")?.querySelector("details select[name=score]");
  if (!select) return;
  const stands = [...select.options].find((option) => option.defaultSelected);
  if (!stands) return;
  select.value = String(Math.min(5, Math.max(1, Number(stands.value) + event.detail.points)));
  select.closest("details").open = true;
  const field = event.target.querySelector(".bank-picker");
  say(field, `Inserted. It proposes ${select.value} of 5: save the override below to use it.`);
});

let timer = 0;
document.addEventListener("input", (event) => {
  if (!event.target.matches?.(".bank-picker input[name=find]")) return;
  const field = picker(event.target);
  clearTimeout(timer);
  timer = setTimeout(() => search(field), LIST_DELAY);
});

document.addEventListener("focusin", (event) => {
  if (event.target.matches?.(".bank-picker input[name=find]")) picker(event.target);
});

document.addEventListener("focusout", (event) => {
  const field = event.target.closest?.(".bank-picker");
  if (field?.list) close(field);
});

document.addEventListener("keydown", (event) => {
  const field = event.target.matches?.(".bank-picker input[name=find]") && picker(event.target);
  if (!field) return;
  const all = options(field);
  const current = all.findIndex((option) => option.getAttribute("aria-selected") === "true");
  if (event.key === "Enter") {
    event.preventDefault(); // never sends the form
    if (field.list.hidden) search(field); else if (all[current]) pick(field, all[current]);
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    if (field.list.hidden) { search(field); return; }
    const step = event.key === "ArrowDown" ? 1 : -1;
    activate(field, all[(current + step + all.length) % all.length]);
  } else if (event.key === "Escape" && !field.list.hidden) {
    event.stopPropagation();
    close(field);
  }
});

// What htmx puts into the page takes the focus: a form its first field, a saved comment itself.
document.addEventListener("htmx:load", (event) => {
  const put = event.detail.elt;
  if (put === document.body || !put.closest?.(".comments, .comment, .comment-row")) return;
  if (put.matches(".comment")) put.tabIndex = -1;
  (put.matches(".comment") ? put : put.querySelector("textarea, button"))?.focus();
});
