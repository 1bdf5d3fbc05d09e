// The parts of the API reference that need a script: the search, the theme, the language of the
// samples, and trying an operation with the test session of the console. Nothing that is typed is
// stored, and requests only go to the test environment of this server.
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const make = (name, text, cls) => {
    const e = document.createElement(name);
    if (text) e.textContent = text;
    if (cls) e.className = cls;
    return e;
  };
  const remember = (name, value) => { try { localStorage.setItem("slipway-" + name, JSON.stringify(value)); } catch { /* not stored */ } };
  const remembered = (name) => { try { return JSON.parse(localStorage.getItem("slipway-" + name)); } catch { return null; } };
  const go = (url) => { location.href = url; };

  // Links to the earlier page, where an operation was a part of the address.
  const old = /^#\/(operations|webhooks)\/([\w.]+)/.exec(location.hash);
  if (old) {
    const base = location.pathname.replace(/\/$/, "");
    location.replace(base + "/" + (old[1] === "operations" ? old[2] : "events"));
  }

  // Theme
  $("theme").hidden = false;
  $("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    remember("theme", root.dataset.theme);
  });

  // A link to a field opens it.
  const openTarget = () => {
    for (let e = document.querySelector(":target"); e; e = e.parentElement) if (e.localName === "details") e.open = true;
  };
  addEventListener("hashchange", openTarget);
  openTarget();
  for (const d of document.querySelectorAll(".params > details[data-f]")) {
    d.addEventListener("toggle", () => { if (d.open) history.replaceState(null, "", "#" + d.querySelector("div").id); });
  }
  const here = document.querySelector(".toc li [aria-current]");
  if (here) $("toc").scrollTop = here.offsetTop - $("toc").offsetTop - $("toc").clientHeight / 2;

  // A field that is pointed at or focused is lit in the response.
  const light = (event) => {
    const name = event.target.closest?.("[data-f]")?.dataset.f;
    for (const e of document.querySelectorAll("#response [data-f], .params > [data-f]")) e.classList.toggle("lit", e.dataset.f === name);
  };
  document.addEventListener("mouseover", light);
  document.addEventListener("focusin", light);

  // Samples
  const languages = [...document.querySelectorAll("input[name=lang]")];
  const choose = (value) => {
    const input = languages.find((l) => l.value === value);
    if (input) input.checked = true;
    return input;
  };
  choose(remembered("language"));
  for (const l of languages) l.addEventListener("change", () => remember("language", l.value));
  for (const b of document.querySelectorAll("[data-copy]")) {
    b.hidden = false;
    b.addEventListener("click", async () => {
      const shown = [...$(b.dataset.copy).querySelectorAll("pre")].find((p) => p.offsetParent !== null);
      const copy = shown.cloneNode(true);
      for (const e of copy.querySelectorAll(".v")) e.textContent = e.dataset.full; // complete IDs
      await navigator.clipboard.writeText(copy.textContent.trim());
      b.setAttribute("aria-label", "Copied");
    });
  }

  // The values that are typed replace those of the samples.
  const form = $("run");
  const body = $("try-body");
  const mark = (e, value) => {
    e.dataset.full = value;
    e.textContent = value.replace(/^([a-z]+_)[0-9a-z]{20,}([0-9a-z]{4})$/, "$1…$2");
  };
  for (const e of document.querySelectorAll("#samples .v")) {
    e.dataset.example = e.textContent;
    mark(e, e.textContent);
  }
  const fill = (input) => {
    for (const e of document.querySelectorAll("#samples .v")) if (e.dataset.v === input.dataset.v) mark(e, input.value || e.dataset.example);
  };
  const checkBody = () => {
    let problem = "";
    try { if (body.value.trim()) JSON.parse(body.value); } catch (e) { problem = "Not valid JSON: " + e.message; }
    $("try-body-bad").textContent = problem;
    const sample = document.querySelector("#samples [data-body]");
    if (sample && !problem) sample.textContent = "'" + body.value.replaceAll("'", "'\\''") + "'";
    return problem === "";
  };

  // Try it
  const { api } = document.body.dataset;
  const request = (path, init = {}) =>
    fetch(api + path, { ...init, credentials: "same-origin", headers: { "Slipway-Mode": "test", ...init.headers } });
  const uuid = () => {
    const b = crypto.getRandomValues(new Uint8Array(16));
    b[6] = (b[6] & 15) | 64;
    b[8] = (b[8] & 63) | 128;
    return [...b].map((x) => x.toString(16).padStart(2, "0")).join("").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  };
  const fields = () => [...form.querySelectorAll(".field[data-name]")];
  const inputOf = (field) => field.querySelector("input, select");
  const pathOf = () => fields().filter((f) => f.dataset.in === "path")
    .reduce((path, f) => path.replace("{" + f.dataset.name + "}", encodeURIComponent(inputOf(f).value)), form.dataset.path);

  // nameOf returns what people call an object.
  const boatOf = (o) => [o?.year, o?.make, o?.model].filter(Boolean).join(" ");
  const personOf = (o) => [o?.first_name, o?.last_name].filter(Boolean).join(" ") || o?.company_name;
  const nameOf = (o) => {
    const made = o.made_by && (o.made_by === "buyer" ? "Buyer" : "Dealer") + " offers $" + o.amount_usd.toLocaleString("en-US");
    const parts = [o.number && "#" + o.number, o.stock_number, made, personOf(o.buyer) || personOf(o.contact), boatOf(o.hull),
      o.name ?? o.title ?? (boatOf(o) || personOf(o) || o.label || o.summary || o.kind || o.type), o.status ?? o.state];
    return parts.filter((p) => typeof p === "string" && p).join(", ") || o.id;
  };
  // Lists that only have names with the objects that they refer to.
  const named = { "/v1/deals": "/v2-preview/deals?expand=hull,buyer&", "/v1/leads": "/v2-preview/leads?expand=contact,hull&" };
  // A list of test objects takes the place of a field for an ID, if the list before it in the path exists.
  const offer = async (field) => {
    const parent = form.dataset.path.split("/{" + field.dataset.name + "}")[0];
    const path = fields().filter((f) => f.dataset.in === "path").reduce((p, f) => p.replace("{" + f.dataset.name + "}", encodeURIComponent(inputOf(f).value)), parent);
    if (path.includes("//") || path.endsWith("/")) return;
    const res = await request((named[path] ?? path + "?") + "limit=25");
    if (!res.ok) return;
    const { data } = await res.json();
    const input = inputOf(field);
    if (!Array.isArray(data) || data.length === 0 || !data[0].id) return;
    const select = make("select");
    for (const o of data) select.append(new Option(nameOf(o), o.id));
    select.append(new Option("Another ID…", ""));
    select.id = input.id;
    select.dataset.v = input.dataset.v;
    select.required = true;
    input.replaceWith(select);
    select.addEventListener("change", () => { if (select.value === "") { select.replaceWith(input); input.focus(); } });
  };
  const offerAll = async (after) => {
    let started = !after;
    for (const field of fields()) {
      if (started && field.dataset.in === "path") {
        await offer(field);
        fill(inputOf(field));
      }
      if (field === after) started = true;
    }
  };

  const say = (text, tone) => {
    $("status").className = "ok-line " + tone;
    $("status").textContent = text;
  };
  const line = (text, field, before) => {
    const e = make("span", "", "l");
    if (field) e.dataset.f = field;
    const m = /^( *)("(?:[^"\\]|\\.)*")(: )(.*)$/.exec(text);
    if (m) e.append(m[1], make("span", m[2], "k"), m[3], /^"/.test(m[4]) ? make("span", m[4], "s") : m[4]);
    else e.append(text);
    if (before !== undefined) {
      e.classList.add("lit");
      e.append(make("span", "    was " + JSON.stringify(before), "c"));
    }
    e.append("\n");
    return e;
  };
  // Each line names its field. Fields that changed say what they were.
  const show = (text, before) => {
    let value;
    try { value = JSON.parse(text); } catch { $("response").textContent = text || "No content"; return; }
    const depth = Array.isArray(value.data) ? 6 : 2;
    let field = "";
    $("response").replaceChildren(...JSON.stringify(value, null, 2).split("\n").map((l) => {
      const indent = l.length - l.trimStart().length;
      const name = /^ *"([^"]+)": /.exec(l);
      const starts = indent === depth && name;
      if (indent < depth) field = "";
      else if (starts) field = name[1];
      const changed = starts && before && before.id === value.id && field in before && JSON.stringify(before[field]) !== JSON.stringify(value[field]);
      return line(l, field, changed && (before[field] === null || typeof before[field] !== "object") ? before[field] : undefined);
    }));
  };

  const run = async () => {
    if (body && !checkBody()) { body.focus(); return; }
    const query = new URLSearchParams();
    for (const f of fields()) if (f.dataset.in === "query" && !f.hidden && inputOf(f).value !== "") query.set(f.dataset.name, inputOf(f).value);
    const path = pathOf() + (query.size ? "?" + query : "");
    const init = { method: form.dataset.method, headers: {} };
    if ("retries" in form.dataset) init.headers["Idempotency-Key"] = uuid();
    const file = $("try-file")?.files[0];
    if (body?.value.trim()) {
      init.headers["Content-Type"] = "application/json";
      init.body = body.value;
    } else if (file) {
      init.headers["Content-Type"] = file.type || $("try-file").dataset.type.replace(/\*.*/, "octet-stream");
      init.body = file;
    }
    let before = null;
    if (init.method !== "GET") {
      // The object before, if the operation is about one, so that the response can say what changed.
      const object = pathOf().replace(/\/[a-z_]+$/, "");
      if (object !== pathOf() || /_id\}$/.test(form.dataset.path)) {
        const res = await request(object).catch(() => null);
        if (res?.ok && /json/.test(res.headers.get("Content-Type") ?? "")) before = await res.json();
      }
    }
    say("Running", "amber");
    const started = performance.now();
    try {
      const res = await request(path, init);
      const text = /^(image|application\/pdf|application\/octet)/.test(res.headers.get("Content-Type") ?? "") ? res.headers.get("Content-Type") : await res.text();
      say(res.status + " " + (res.statusText || ""), res.ok ? "green" : "red");
      const id = res.headers.get("Request-Id");
      $("took").replaceChildren(Math.round(performance.now() - started) + " ms");
      if (id) $("took").append(" · ", make("code", id.slice(0, 4) + "…" + id.slice(-4)));
      show(text, before);
      if (res.status === 401) signedOut();
    } catch {
      say("No response", "red");
      $("response").textContent = "The server didn't answer. Try again.";
    }
  };

  const signedOut = () => {
    if (!form) return;
    form.hidden = true;
    $("signed-out").hidden = false;
    $("as").hidden = true;
  };
  const signedIn = async (who) => {
    $("as").hidden = false;
    $("as").querySelector(".avatar").textContent = who.name.split(/\s+/).map((w) => w[0]).slice(0, 2).join("").toUpperCase();
    $("as").querySelector(".who").textContent = who.name.split(/\s+/)[0];
    if (!form) return;
    const sets = form.dataset.scopes.split("|").map((s) => s.split(" ").filter(Boolean));
    const may = sets.some((set) => set.every((s) => who.scopes.includes(s)));
    $("try-as").textContent = "as " + who.name + (who.roles.length ? ", " + who.roles.join(", ") : "") + ". No key needed.";
    $("may").hidden = false;
    $("may").textContent = "Your test session " + (may ? "may run it." : "may not run it. Without the scope, you can see how it is refused.");
    $("signed-out").hidden = true;
    form.hidden = false;
    const extra = fields().filter((f) => f.hidden);
    for (const f of extra) $("add").append(new Option(f.dataset.name));
    $("add").hidden = extra.length === 0;
    await offerAll();
  };
  if (form) {
    form.addEventListener("submit", (event) => { event.preventDefault(); run(); });
    form.addEventListener("input", (event) => {
      if (event.target === body) checkBody();
      else if (event.target.dataset.v) fill(event.target);
    });
    form.addEventListener("change", (event) => {
      const field = event.target.closest(".field[data-in=path]");
      if (field && event.target.value !== "") offerAll(field);
    });
    $("add").addEventListener("change", () => {
      const field = fields().find((f) => f.dataset.name === $("add").value);
      $("add").value = "";
      if (!field) return;
      field.hidden = false;
      [...$("add").options].find((o) => o.value === field.dataset.name).remove();
      inputOf(field).focus();
    });
    form.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) { event.preventDefault(); form.requestSubmit(); }
    });
  }
  request("/visitor").then(async (res) => { if (res.status === 200) await signedIn(await res.json()); }).catch(() => {});

  // Search
  const dialog = $("hunt"), q = $("q"), hits = $("hits"), none = $("none");
  const kinds = ["Errors", "Operations", "Fields", "Guides"], most = { Errors: 4, Operations: 8, Fields: 6, Guides: 4 };
  const verbs = { GET: "get", POST: "post", PUT: "patch", PATCH: "patch", DELETE: "del" };
  let entries = null, chosen = -1;
  const wordsOf = (text) => text.toLowerCase().split(/[^\p{L}\p{Nd}]+/u).filter(Boolean);
  const load = async () => {
    if (entries) return;
    const res = await fetch("/docs/reference/search.json");
    if (!res.ok) { none.textContent = "The search isn't available. Try again."; return; }
    entries = (await res.json()).map((e) => ({ ...e, title: wordsOf(e.t), text: wordsOf(e.x + " " + e.w + " " + e.l), whole: e.t.toLowerCase() }));
  };
  const score = (e, words, query) => {
    let total = 0;
    for (const w of words) {
      const inTitle = e.title.includes(w) ? 12 : e.title.some((t) => t.startsWith(w)) ? 8 : e.whole.includes(w) && w.length > 2 ? 5 : 0;
      const best = inTitle || (e.text.some((t) => t.startsWith(w)) ? 2 : 0);
      if (best === 0) return 0;
      total += best;
    }
    return total + (e.whole === query ? 20 : 0);
  };
  const marked = (name, text, words) => {
    const e = make(name);
    if (words.length === 0) { e.textContent = text; return e; }
    const pattern = new RegExp("(" + words.map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|") + ")", "giu");
    text.split(pattern).forEach((part, i) => e.append(i % 2 ? make("mark", part) : part));
    return e;
  };
  const options = () => [...hits.querySelectorAll("[role=option]")];
  const select = (i) => {
    const all = options();
    if (all.length === 0) { q.removeAttribute("aria-activedescendant"); chosen = -1; return; }
    chosen = (i + all.length) % all.length;
    all.forEach((o, n) => o.setAttribute("aria-selected", String(n === chosen)));
    all[chosen].scrollIntoView({ block: "nearest" });
    q.setAttribute("aria-activedescendant", all[chosen].id);
  };
  const near = (query) => {
    const fields = entries.filter((e) => e.k === "Fields" || e.k === "Errors");
    const shared = (t) => { let n = 0; while (n < t.length && t[n] === query[n]) n++; return n; };
    const best = fields.map((e) => [Math.max(...e.title.map(shared)), e]).sort(([a], [b]) => b - a)[0];
    return best && best[0] > 1 ? best[1].t : "";
  };
  const search = () => {
    if (!entries) return;
    const query = q.value.trim().toLowerCase(), words = wordsOf(query).slice(0, 8);
    const found = words.length ? entries.map((e) => [score(e, words, query), e]).filter(([s]) => s).sort(([a], [b]) => b - a) : [];
    const groups = kinds.map((k) => [k, found.filter(([, e]) => e.k === k).slice(0, most[k])]).filter(([, all]) => all.length)
      .sort(([, a], [, b]) => b[0][0] - a[0][0]);
    hits.replaceChildren(...groups.map(([kind, all]) => {
      const group = make("div");
      group.setAttribute("role", "group");
      group.setAttribute("aria-label", kind);
      const title = make("b", kind);
      title.setAttribute("aria-hidden", "true");
      group.append(title, ...all.map(([, e]) => {
        const a = make("a");
        a.href = e.u;
        a.id = "hit-" + entries.indexOf(e);
        a.tabIndex = -1;
        a.setAttribute("role", "option");
        a.setAttribute("aria-selected", "false");
        a.append(make("span", e.l, "verb " + (verbs[e.l] ?? "")), marked("span", e.t, words), make("em", e.w), marked("small", e.x, words));
        return a;
      }));
      return group;
    }));
    q.setAttribute("aria-expanded", String(groups.length > 0));
    select(0);
    const other = groups.length || !words.length ? "" : near(query);
    none.textContent = groups.length || !words.length ? "" : "Nothing for “" + q.value.trim() + "”." + (other ? " Try " + other + ", or search the guides." : " Try another word.");
  };
  const open = async () => {
    if (!dialog.open) dialog.showModal();
    q.focus();
    q.select();
    await load();
    search();
  };
  $("find").addEventListener("click", (event) => { event.preventDefault(); open(); });
  $("shut").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  hits.addEventListener("click", (event) => { if (event.target.closest("a")) dialog.close(); });
  q.addEventListener("input", search);
  q.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      select(chosen + (event.key === "ArrowDown" ? 1 : -1));
      event.preventDefault();
    } else if (event.key === "Enter" && chosen >= 0) {
      const to = options()[chosen].href;
      dialog.close();
      go(to);
      event.preventDefault();
    }
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    if (event.target instanceof Element && event.target.closest("input:not([type=radio]), textarea, select")) return;
    const turn = { "[": "prev", "]": "next" }[event.key];
    const to = turn && document.querySelector(".turn [rel=" + turn + "]");
    if (event.key === "/") open();
    else if (to) go(to.href);
    else if (/^[1-4]$/.test(event.key) && languages[event.key - 1]) {
      languages[event.key - 1].checked = true;
      remember("language", languages[event.key - 1].value);
    } else return;
    event.preventDefault();
  });
})();
