// Copy buttons: `data-copy` holds the text, or is empty for the <pre> beside the button.
const copied = async (button) => {
  const text = button.dataset.copy || button.parentElement.querySelector("pre").innerText.trim();
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
    button.classList.add("done");
  } catch {
    button.textContent = "Press Ctrl+C";
    getSelection().selectAllChildren(button.parentElement.querySelector("pre, code") ?? button);
  }
  setTimeout(() => { button.textContent = label; button.classList.remove("done"); }, 1600);
};

// A menu is a <details>. Escape or a click beside it closes the open menu; Escape also gives the focus back.
const openMenus = () => document.querySelectorAll("details.menu[open]");

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of openMenus()) {
    const inside = menu.contains(document.activeElement);
    menu.open = false;
    if (inside) menu.querySelector("summary").focus();
  }
});

// "/" goes to the search: the field of its own page, else the menu in the head that has one at this width.
// In a text field "/" is just a character.
const WRITES = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest(WRITES)) return;
  const menu = [...document.querySelectorAll(".site-head .menu:has([type=search])")].find((each) => each.offsetParent);
  const field = document.getElementById("search") ?? menu?.querySelector("input");
  if (!field) return;
  event.preventDefault();
  if (menu?.contains(field)) menu.open = true;
  field.select();
  field.focus();
});
document.querySelector("details.search")?.addEventListener("toggle", ({ target }) => {
  if (target.open) target.querySelector("input").focus();
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (button) copied(button);
  for (const menu of openMenus()) if (!menu.contains(event.target)) menu.open = false;
});

// A menu with an id stays open when htmx replaces it, and so does the focus in it.
let kept = { menus: [], focus: "" };
document.addEventListener("htmx:beforeSwap", () => {
  kept = { menus: [...openMenus()].map((menu) => menu.id).filter(Boolean), focus: document.activeElement?.id };
});
document.addEventListener("htmx:afterSwap", () => {
  for (const id of kept.menus) document.getElementById(id)?.setAttribute("open", "");
  if (kept.menus.length && kept.focus) document.getElementById(kept.focus)?.focus();
});
