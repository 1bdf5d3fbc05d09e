// Shows results while you type in the search field. "/" moves to the field, the
// arrows choose a result, Enter opens it and Escape closes the list. Without a chosen
// result, Enter opens the page with all results. The ranking is the same as on the
// server, in search.go.
"use strict";
(() => {
  const maxShown = 10, maxWords = 8;
  const input = document.getElementById("q");
  const list = document.getElementById("results");
  const status = document.getElementById("found");
  let entries = null, loading = false, chosen = -1;

  input.setAttribute("role", "combobox");
  input.setAttribute("aria-controls", "results");
  input.setAttribute("aria-expanded", "false");
  input.setAttribute("aria-autocomplete", "list");

  const wordsOf = (text) => text.toLowerCase().split(/[^\p{L}\p{Nd}_]+/u).filter((w) => w !== "");

  const match = (words, word, whole, start) => {
    let best = 0;
    for (const w of words) {
      if (w === word) return whole;
      if (w.startsWith(word)) best = start;
    }
    return best;
  };

  const score = (e, words) => {
    let total = 0;
    for (const w of words) {
      const best = Math.max(match(e.title, w, 12, 8), match(e.kind, w, 6, 4), match(e.text, w, 3, 2));
      if (best === 0) return 0;
      total += best;
    }
    if (e.title.length === words.length && words.every((w, i) => w === e.title[i])) total += 10;
    if (e.k === "Guide") total++;
    return total;
  };

  const find = (query) => {
    const words = wordsOf(query).slice(0, maxWords);
    if (words.length === 0) return [];
    return entries.map((e) => [score(e, words), e]).filter(([s]) => s > 0).sort(([a], [b]) => b - a).slice(0, maxShown).map(([, e]) => e);
  };

  const close = () => {
    list.hidden = true;
    chosen = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };

  const choose = (i) => {
    const items = list.children;
    if (items.length === 0) return;
    chosen = (i + items.length) % items.length;
    for (const [n, item] of [...items].entries()) item.setAttribute("aria-selected", String(n === chosen));
    items[chosen].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", items[chosen].id);
  };

  const show = () => {
    if (entries === null) return;
    const found = find(input.value);
    list.replaceChildren(...found.map((e, i) => {
      const item = document.createElement("li");
      item.id = "result-" + i;
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", "false");
      item.dataset.url = e.u;
      const kind = document.createElement("small");
      kind.textContent = e.k;
      item.append(e.t, kind);
      return item;
    }));
    close();
    list.hidden = found.length === 0;
    input.setAttribute("aria-expanded", String(found.length > 0));
    status.textContent = input.value.trim() === "" ? "" : found.length + " results";
  };

  const load = async () => {
    if (entries !== null || loading) return;
    loading = true;
    const res = await fetch("/docs/search.json");
    if (res.ok) {
      entries = (await res.json()).map((e) => ({ ...e, title: wordsOf(e.t), kind: wordsOf(e.k), text: wordsOf(e.x) }));
      if (document.activeElement === input && input.value !== "") show();
    }
    loading = false;
  };

  input.addEventListener("focus", load);
  input.addEventListener("input", show);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (list.hidden) show();
      choose(event.key === "ArrowDown" ? chosen + 1 : chosen < 0 ? -1 : chosen - 1);
      event.preventDefault();
    } else if (event.key === "Escape") {
      close();
    }
  });
  input.form.addEventListener("submit", (event) => {
    if (chosen < 0) return;
    event.preventDefault();
    location.href = list.children[chosen].dataset.url;
    close();
  });
  list.addEventListener("mousedown", (event) => {
    const item = event.target.closest("li");
    if (item) location.href = item.dataset.url;
    event.preventDefault();
  });
  input.addEventListener("blur", close);
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof Element && event.target.closest("input, textarea, select");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      input.focus();
      input.select();
      event.preventDefault();
    }
  });
})();
