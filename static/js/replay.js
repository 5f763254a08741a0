// A row as a timeline: the slider moves the state without a request, and a mark or a sentence opens the text at its line.
// Without this file the slider is a form and each mark is a link.
(() => {
  const replay = document.querySelector("[data-replay]");
  if (!replay) return;
  const form = replay.querySelector("[data-replay-step]");
  const slider = form?.elements.step;
  const first = Number(replay.dataset.first), end = Number(replay.dataset.end);

  // The valid fact at a place: that of the last change up to it.
  const valueAt = (changes, place) => {
    let value = null;
    for (const [at, now] of changes) {
      if (at > place) break;
      value = now;
    }
    return value;
  };

  const show = () => {
    const place = Number(slider.value);
    const share = `${(100 * (place - first)) / (end - first)}%`;
    form.querySelector("[data-step]").textContent = place;
    for (const line of replay.querySelectorAll("[data-now]")) {
      line.setAttribute("x1", share);
      line.setAttribute("x2", share);
    }
    for (const lane of replay.querySelectorAll("[data-changes]")) {
      const held = lane.querySelector("[data-held]");
      if (held) held.textContent = valueAt(JSON.parse(lane.dataset.changes), place) ?? "–";
    }
    for (const link of form.querySelectorAll("[data-jump]")) {
      const found = next(Number(link.dataset.jump));
      if (found === undefined) link.removeAttribute("href");
      else link.href = address({ step: found });
    }
  };

  const places = form ? JSON.parse(form.dataset.places) : [];
  const next = (direction) => {
    const place = Number(slider.value);
    return direction > 0 ? places.find((each) => each > place) : places.findLast((each) => each < place);
  };

  // The address of this page with other parameters, and without those that are null.
  const address = (changes, more = {}) => {
    const query = new URLSearchParams(location.search);
    query.delete("part");
    for (const [name, value] of Object.entries({ ...changes, ...more })) {
      if (value === null) query.delete(name);
      else query.set(name, value);
    }
    return `?${query}`;
  };

  // A new request replaces a pending one: if queued, its response would be swapped into text that is gone.
  const openText = (changes) =>
    htmx.ajax("GET", address(changes, { part: "text" }), { source: replay, target: "#text", swap: "outerHTML" })
      .then(() => true, () => false);

  if (form) {
    slider.addEventListener("input", show);
    slider.addEventListener("change", () => {
      const changes = { step: slider.value, line: null };
      history.replaceState(history.state, "", address(changes));
      openText(changes);
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("click", (event) => {
      const link = event.target.closest("[data-jump]");
      const found = link && next(Number(link.dataset.jump));
      if (!link || found === undefined) return;
      event.preventDefault();
      slider.value = found;
      slider.dispatchEvent(new Event("input"));
      slider.dispatchEvent(new Event("change"));
    });
    document.addEventListener("htmx:afterSettle", show);
    addEventListener("pageshow", show);
  }

  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a[data-line]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || !document.getElementById("text")) return;
    if (link.dataset.system && new URLSearchParams(location.search).get("system") !== link.dataset.system) return;
    event.preventDefault();
    const changes = { line: link.dataset.line };
    history.replaceState(history.state, "", address(changes));
    if (await openText(changes)) document.getElementById("text").scrollIntoView({ block: "nearest" });
  });
})();
