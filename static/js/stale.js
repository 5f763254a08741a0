// Forms that are older than the sign-in. After a sign-in or sign-out in another tab the token of a form is refused. So
// before such a form is sent, the site is asked whose session it is. A form of the same account gets a fresh token and is
// sent; otherwise a note says why, nothing is sent, and all input stays. Without this file the site answers with a page that contains what was typed.
(() => {
  const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  // A form holds the cookie's token under a mask. A misreading here only costs one request too many.
  const unmasked = (token) => Array.from(token.slice(32), (letter, at) => letters.at((letters.indexOf(letter) - letters.indexOf(token[at])) % 62)).join("");
  const cookie = () => document.cookie.match(/(?:^|; )csrftoken=([^;]*)/)?.[1] ?? "";
  const tokenOf = (form) => form?.querySelector("[name=csrfmiddlewaretoken]");
  const isStale = (form) => Boolean(tokenOf(form)) && unmasked(tokenOf(form).value) !== cookie();
  const page = () => document.querySelector("[data-account-now]").dataset;

  const renew = (token) => {
    for (const field of document.querySelectorAll("[name=csrfmiddlewaretoken]")) field.value = token;
    document.querySelector("[data-stale]")?.remove();
  };

  const button = (words, act) => {
    const made = Object.assign(document.createElement("button"), { type: "button", className: "button", textContent: words });
    made.addEventListener("click", act);
    return made;
  };

  const link = (words, address) => Object.assign(document.createElement("a"), { href: address, target: "_blank", rel: "noopener", className: "button", textContent: words });

  const tell = (form, words, ...actions) => {
    document.querySelector("[data-stale]")?.remove();
    const note = Object.assign(document.createElement("div"), { className: "note warning", role: "alert", tabIndex: -1 });
    note.dataset.stale = "";
    const row = Object.assign(document.createElement("p"), { className: "actions" });
    row.append(...actions);
    note.append(Object.assign(document.createElement("p"), { textContent: words }), ...(actions.length ? [row] : []));
    (form.matches(".form") ? form : document.querySelector("main")).prepend(note);
    form.dispatchEvent(new CustomEvent("form:kept", { bubbles: true }));
    note.focus();
  };

  // Whether a form may be sent now. If not, a note says why; `again` sends the form after the reader agreed.
  const mayBeSent = async (form, again) => {
    const { account: before, accountNow, signIn } = page();
    let now;
    try {
      now = await (await fetch(accountNow, { headers: { Accept: "application/json" }, cache: "no-store" })).json();
    } catch {
      tell(form, "The site cannot be reached. Nothing was sent, and what you typed is still here: send it again in a moment.");
      return false;
    }
    if (now.account === before) {
      renew(now.token);
      return true;
    }
    if (!now.account) {
      tell(form, "Your session has ended. Nothing was sent, and what you typed is still here: sign in in another tab, come back and send it again.", link("Sign in in another tab", signIn));
    } else if (!before) {
      tell(form, `In another tab you signed in as ${now.account}. Nothing was sent.`, button(`Continue as ${now.account}`, () => location.assign(location.href)));
    } else {
      tell(form, `In another tab you signed in as ${now.account}; this page was opened as ${before}. Nothing was sent, and what you typed is still here. Send it as ${now.account}, or sign in as ${before} again in another tab and come back.`, button(`Send it as ${now.account}`, () => {
        page().account = now.account;
        renew(now.token);
        again();
      }));
    }
    return false;
  };

  document.addEventListener("submit", async (event) => {
    const { target: form, submitter } = event;
    if (event.defaultPrevented || form.getAttribute("method") !== "post" || form.matches("[hx-post]") || !isStale(form)) return;
    event.preventDefault();
    const again = () => form.requestSubmit(submitter);
    if (await mayBeSent(form, again)) again();
  });

  document.addEventListener("htmx:confirm", async (event) => {
    const { verb, elt, issueRequest } = event.detail;
    const form = elt.closest("form");
    if (verb === "get" || !isStale(form)) return;
    event.preventDefault();
    const again = () => issueRequest(true);
    if (await mayBeSent(form, again)) again();
  });

  // A fragment requested after a sign-out: the response is the sign-in page, which must not be swapped in.
  const isSignIn = (xhr) => Boolean(xhr.responseURL) && new URL(xhr.responseURL).pathname === new URL(page().signIn, location.href).pathname;

  // Still refused: the account changed or the session ended while it was being sent.
  const resent = new WeakSet();
  document.addEventListener("htmx:beforeSwap", async (event) => {
    const { xhr, requestConfig } = event.detail;
    if (requestConfig.verb === "get" && isSignIn(xhr)) event.detail.shouldSwap = false;
    if (!xhr.getResponseHeader("X-Stale-Form")) return;
    event.detail.shouldSwap = event.detail.isError = false;
    const sender = requestConfig.elt, form = sender.closest("form");
    const again = () => (sender === form ? form.requestSubmit() : sender.click());
    form.dispatchEvent(new CustomEvent("form:kept", { bubbles: true }));
    if (resent.delete(sender)) tell(form, "The site refuses forms from this page. Nothing was sent. Allow cookies for this site and open the page again.");
    else if (await mayBeSent(form, again)) {
      resent.add(sender);
      again();
    }
  });
})();
