// Blocking and tiny on purpose: the theme that was chosen by hand is set before the first paint.
// The key is the one Django's admin uses, so that both agree.
(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const stored = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const store = (theme) => { try { localStorage.setItem("theme", theme); } catch { /* private window: for this page only */ } };

  const apply = (theme) => {
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
  };

  root.dataset.scripted = "";
  apply(stored());

  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-theme-toggle]")) return;
    const shown = root.dataset.theme ?? (system.matches ? "dark" : "light");
    const next = shown === "dark" ? "light" : "dark";
    const theme = next === (system.matches ? "dark" : "light") ? "auto" : next;
    store(theme);
    apply(theme);
    document.dispatchEvent(new Event("themechange"));
  });
  system.addEventListener("change", () => document.dispatchEvent(new Event("themechange")));
})();
