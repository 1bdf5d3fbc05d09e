// Improves the forms of the public pages. None of it is needed.
// It proves work while a person types, so that a shared network isn't rejected, and it disables
// the button while a form is being sent.
(() => {
  const zeroBits = 15;

  async function prove(stamp) {
    const text = new TextEncoder();
    for (let n = 0; n < 4000000; n++) {
      const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", text.encode(`${stamp}.${n}`)));
      if (((hash[0] << 8) | hash[1]) >> (16 - zeroBits) === 0) return String(n);
    }
    return "";
  }

  for (const form of document.querySelectorAll("form[data-form]")) {
    const stamp = form.elements.stamp, work = form.elements.work, button = form.querySelector("button");
    form.addEventListener("focusin", () => {
      if (crypto.subtle && stamp && work) prove(stamp.value).then((n) => { work.value = n; }, () => {});
    }, { once: true });
    form.addEventListener("submit", () => {
      setTimeout(() => { button.disabled = true; button.textContent = form.dataset.sending; }, 0);
    });
    addEventListener("pageshow", (e) => { if (e.persisted) location.reload(); });
  }

  for (const select of document.querySelectorAll("select[data-sends]")) {
    select.addEventListener("change", () => select.form.requestSubmit());
  }
  const wrong = document.querySelector("[aria-invalid=true]");
  if (wrong) {
    wrong.focus();
    wrong.select?.();
  }
})();
