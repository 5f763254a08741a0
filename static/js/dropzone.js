// Drag and drop for a file input, its name and size, a warning before too large a file is sent, and the upload's progress.
// A refused file stays chosen. A chosen file that changed on disk is reported.
// Everything listens on the document, so a page that htmx swaps in needs no second start. Without this file the form still works.
const units = ["bytes", "KB", "MB", "GB"];
const readable = (bytes) => {
  const step = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${(bytes / 1024 ** step).toFixed(step ? 1 : 0)} ${units[step]}`;
};

const fileOf = (zone) => zone.querySelector("input[type=file]").files[0];
const uploadOf = (zone) => zone.closest("form").querySelector("[data-upload]");

const show = (zone) => {
  const file = fileOf(zone);
  const refused = Boolean(file) && file.size > Number(zone.dataset.maxBytes);
  zone.classList.toggle("full", Boolean(file));
  zone.classList.toggle("refused", refused);
  zone.classList.remove("changed");
  if (uploadOf(zone).classList.contains("said")) uploadOf(zone).classList.remove("said", "on");
  zone.querySelector("input[type=file]").setCustomValidity(refused ? `The file is larger than ${zone.dataset.maxText}.` : "");
  zone.querySelector("[data-name]").textContent = file ? file.name : "";
  zone.querySelector("[data-size]").textContent = file ? `${readable(file.size)} · choose or drop another to replace it` : "";
};

const zoneOf = (event) => event.target.closest?.("[data-dropzone]");

document.addEventListener("change", (event) => {
  const zone = zoneOf(event);
  if (zone) show(zone);
  if (event.target.closest("[data-system-choice]")) showNewSystem(event.target.form);
});

for (const kind of ["dragenter", "dragover"]) {
  document.addEventListener(kind, (event) => {
    const zone = zoneOf(event);
    if (!zone) return;
    event.preventDefault();
    zone.classList.add("over");
  });
}

for (const kind of ["dragleave", "drop"]) {
  document.addEventListener(kind, (event) => zoneOf(event)?.classList.remove("over"));
}

document.addEventListener("drop", (event) => {
  const zone = zoneOf(event);
  if (!zone || !event.dataTransfer.files.length) return;
  event.preventDefault();
  const one = new DataTransfer();
  one.items.add(event.dataTransfer.files[0]);
  zone.querySelector("input[type=file]").files = one.files;
  show(zone);
});

// A browser neither sends nor reads a file that was changed or deleted on disk after it was chosen.
const CHANGED = "The file changed on your disk after it was chosen, so nothing was submitted. Choose it again.";
const isReadable = (file) => file.slice(0, 1).arrayBuffer().then(() => true, () => false);
const markChanged = (zone) => {
  zone.classList.add("changed");
  zone.querySelector("[data-size]").textContent = "changed on disk; choose it again";
  say(zone.closest("form"), CHANGED);
};

// Browsers fire no change event if the same file is chosen again, unless the field was emptied before.
document.addEventListener("click", (event) => {
  const zone = zoneOf(event);
  if (!event.target.matches?.("input[type=file]") || !zone?.matches(".changed")) return;
  event.target.value = "";
  show(zone);
});

// If the browser sent such a form itself, it would replace this page by its own error page.
const looked = new WeakSet();
document.addEventListener("submit", async (event) => {
  const { target: form, submitter } = event;
  const zone = form.querySelector("[data-dropzone]");
  if (event.defaultPrevented || !zone || form.matches("[hx-post]") || !fileOf(zone) || looked.delete(form)) return;
  event.preventDefault();
  if (!(await isReadable(fileOf(zone)))) return markChanged(zone);
  looked.add(form);
  form.requestSubmit(submitter);
}, { capture: true });

// The fields of a new system are shown only while a new system is chosen.
const showNewSystem = (form) => {
  const fields = form?.querySelector("[data-new-system]");
  if (fields) fields.hidden = Boolean(form.querySelector("[name=system]")?.value);
};
const start = () => document.querySelectorAll("[data-upload-form]").forEach(showNewSystem);
document.addEventListener("DOMContentLoaded", start);
document.addEventListener("htmx:afterSettle", start);

// The page with a refusal replaces the form that had the focus: move the focus to the errors.
const tell = () => document.querySelector("[data-refusal], [data-upload-form] [aria-invalid=true]")?.focus();
const tellCheck = () => document.querySelector("#checked [data-refusal]")?.focus();

// The page with a refusal has an empty file field: put the file back, before a button can be pressed.
const keepFile = (form) => {
  const { files } = form.querySelector("input[type=file]");
  document.addEventListener("htmx:afterSwap", () => {
    const zone = document.querySelector("[data-upload-form] [data-dropzone]");
    if (!zone || !files.length) return;
    zone.querySelector("input[type=file]").files = files;
    show(zone);
  }, { once: true });
};

// The ids belong to another version: choose that version and check the same file against it. Without a file, follow the link.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("[data-switch-version]");
  const form = link && document.querySelector("[data-upload-form]");
  const version = form?.elements.namedItem("version");
  if (!version?.querySelector(`option[value="${link.dataset.switchVersion}"]`) || !fileOf(form)) return;
  event.preventDefault();
  version.value = link.dataset.switchVersion;
  version.dispatchEvent(new Event("change", { bubbles: true }));
  link.closest(".problems").remove();
  form.querySelector("button[name=check]").click();
});

// htmx sends the form. Responses that refuse a file (413, 422, 429) are pages too.
// Some htmx events fire on the form or on its "Check only" button, some on the element to be swapped.
const senderOf = (event) => event.detail?.requestConfig?.elt ?? event.target;
const formOf = (event) => senderOf(event).closest?.("[data-upload-form]") ?? null;

const idle = (form, on) => form.querySelectorAll("[type=submit]").forEach((button) => { button.disabled = !on; });
const busy = (form, on) => {
  form.querySelector("[data-upload]").classList.toggle("on", on);
  form.querySelector("[data-upload]").classList.remove("said");
  idle(form, !on);
};

document.addEventListener("htmx:beforeRequest", (event) => {
  const form = formOf(event);
  if (form) busy(form, true);
});

document.addEventListener("htmx:xhr:progress", (event) => {
  const form = formOf(event);
  const { loaded, total, lengthComputable } = event.detail;
  if (!form || !lengthComputable) return;
  const percent = Math.round((100 * loaded) / total);
  form.querySelector("[data-upload] progress").value = percent;
  form.querySelector("[data-upload] output").textContent = percent < 100 ? `${percent}%` : "Checking every line…";
});

// Another file of the account is being checked, or the site is busy: retry a few times, when the response says.
const MOST_TIMES = 12;
const sendLater = (form, sender, seconds) => {
  form.dataset.sent = Number(form.dataset.sent ?? 0) + 1;
  form.querySelector("[data-upload] output").textContent = `Another file is being checked. Sending this one again in ${seconds} s…`;
  setTimeout(() => {
    if (!form.isConnected) return;
    busy(form, false);
    if (sender === form) form.requestSubmit();
    else sender.click();
  }, 1000 * seconds);
};

document.addEventListener("htmx:beforeSwap", (event) => {
  const form = formOf(event);
  const { xhr } = event.detail;
  const wait = Number(xhr.getResponseHeader("Retry-After"));
  const sender = senderOf(event);
  // After a check the form stays, with its file.
  if (form && sender !== form && xhr.status === 200) {
    busy(form, false);
    document.addEventListener("htmx:afterSettle", tellCheck, { once: true });
  }
  if (!form || !([400, 413, 422, 429].includes(xhr.status) || (xhr.status === 503 && wait))) return;
  event.detail.isError = false;
  if (wait && Number(form.dataset.sent ?? 0) < MOST_TIMES) return sendLater(form, sender, wait);
  if (sender === form) keepFile(form);
  else busy(form, false);
  event.detail.shouldSwap = true;
  document.addEventListener("htmx:afterSettle", sender === form ? tell : tellCheck, { once: true });
});

const say = (form, words) => {
  busy(form, true);
  idle(form, true);
  form.querySelector("[data-upload]").classList.add("said");
  form.querySelector("[data-upload] output").textContent = words;
};

// A form too old for the session reports that itself.
document.addEventListener("form:kept", (event) => {
  if (event.target.matches("[data-upload-form]")) busy(event.target, false);
});

for (const kind of ["htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(kind, async (event) => {
    const form = formOf(event);
    if (!form) return;
    const file = fileOf(form);
    if (file && !(await isReadable(file))) markChanged(form.querySelector("[data-dropzone]"));
    else say(form, "The upload was interrupted. Nothing was submitted; try again.");
  });
}

document.addEventListener("htmx:responseError", (event) => {
  const form = formOf(event);
  if (form) say(form, `The site could not accept the file (status ${event.detail.xhr.status}). Nothing was submitted: open the page again and retry.`);
});
