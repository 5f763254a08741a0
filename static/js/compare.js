// Counts the ticked boxes named "s" of a form marked `data-choose`, also those outside it, and stops at `data-at-most`.
const refresh = (form) => {
  const boxes = [...document.querySelectorAll('input[type="checkbox"][name="s"]')].filter((box) => box.form === form);
  const ticked = boxes.filter((box) => box.checked).length;
  const full = ticked >= Number(form.dataset.atMost);
  for (const box of boxes) box.disabled = full && !box.checked;
  for (const button of form.querySelectorAll('button[type="submit"]')) button.disabled = ticked < 2;
  form.toggleAttribute("data-some", ticked > 0);
  const words = ticked === 0 ? "Tick two or more submissions." : ticked === 1 ? "One chosen; tick another one." : `${ticked} chosen${full ? ", the maximum" : ""}.`;
  for (const output of form.querySelectorAll("[data-choose-count]")) output.textContent = words;
};

const refreshAll = () => document.querySelectorAll("form[data-choose]").forEach(refresh);
document.addEventListener("change", (event) => {
  if (event.target.form?.matches("[data-choose]")) refresh(event.target.form);
});
document.addEventListener("htmx:afterSettle", refreshAll);
addEventListener("pageshow", refreshAll);
