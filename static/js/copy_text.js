// Adds a button behind each text that a person copies into another program: data-copy names the text.
// Without a secure address a browser has no clipboard; then the text is selected by hand as before.
if (navigator.clipboard) {
  for (const text of document.querySelectorAll("[data-copy]")) {
    const button = document.createElement("button"), label = `Copy ${text.dataset.copy}`;
    button.type = "button";
    button.className = "quiet";
    button.textContent = "Copy";
    button.setAttribute("aria-label", label);
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text.textContent.trim());
      button.textContent = "Copied";
      button.setAttribute("aria-label", `${label}: copied`);
    });
    text.after(" ", button);
  }
}
