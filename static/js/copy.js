// Copy buttons: `data-copy` holds the text, or is empty for the <pre> beside the button. Open menus close on a click outside.
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

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (button) copied(button);
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});
