// Shows boats and a form on any website, in a closed shadow root: no style crosses its edge in
// either direction. It stores nothing and defines nothing but three elements. Until the boats are
// there, and if they never come, the link inside the element stays.
(() => {
  const base = new URL("./", document.currentScript.src).href;
  const css = "{{css}}";
  const svg = "http://www.w3.org/2000/svg";

  function el(name, attributes, ...children) {
    const e = document.createElement(name);
    for (const [key, value] of Object.entries(attributes ?? {})) {
      if (value === true) e.setAttribute(key, "");
      else if (value !== undefined && value !== null && value !== false && value !== "") e.setAttribute(key, value);
    }
    e.append(...children.filter((c) => c !== null && c !== undefined && c !== ""));
    return e;
  }

  function draw(box, paths, className) {
    const e = document.createElementNS(svg, "svg");
    e.setAttribute("viewBox", box);
    e.setAttribute("aria-hidden", "true");
    e.setAttribute("class", className);
    for (const [d, kind] of paths) {
      const p = document.createElementNS(svg, "path");
      p.setAttribute("d", d);
      p.setAttribute("class", kind);
      e.append(p);
    }
    return e;
  }

  const noPhoto = () => draw("0 0 120 80", [["M0 0h120v80H0z", "sky"], ["M0 53h120v27H0z", "sea"], ["M18 47 105 40c-3 11-9 17-19 17H33c-9 0-13-3-15-10ZM12 44h6l2 10h-6zM56 44l3-12h11l3 11zM52 24.500h27v3H52zM58 27h1.600l1 17H59zM73 27h1.600l-1 16H72z", "hull"]], "pic empty-pic");

  function tile(b) {
    const photo = b.photo
      ? el("img", { class: "pic", src: b.photo.src, srcset: b.photo.srcset, sizes: "(min-width: 720px) 300px, 100vw", width: 480, height: 320, alt: "", loading: "lazy" })
      : noPhoto();
    return el("li", { class: "tile" }, photo, b.flag && el("span", { class: `pill flag ${b.flag_class}` }, b.flag),
      el("div", { class: "t" }, el("h3", {}, el("a", { href: b.url }, b.title)), el("small", {}, b.line),
        el("div", { class: "cost" }, el("b", {}, b.price), b.was && el("s", {}, el("span", { class: "vh" }, b.was_label, " "), b.was))));
  }

  async function load(url) {
    const answer = await fetch(url, { credentials: "omit", referrerPolicy: "strict-origin-when-cross-origin" });
    if (!answer.ok) throw new Error(String(answer.status));
    return answer.json();
  }

  class Part extends HTMLElement {
    #root;
    async connectedCallback() {
      if (this.#root) return;
      const channel = this.getAttribute("channel");
      const site = channel ? new URL(`../${encodeURIComponent(channel)}/`, base).href : base;
      try {
        const data = await load(site + this.address());
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(`${css}:host{--brand-h:${Number(data.brand.hue)};--brand-c:${Number(data.brand.chroma)}}`);
        const content = this.content(data, site);
        this.#root = this.attachShadow({ mode: "closed" });
        this.#root.adoptedStyleSheets = [sheet];
        this.#root.append(content);
      } catch {
        // the link stays
      }
    }
    stock() { return encodeURIComponent(this.getAttribute("stock") ?? ""); }
  }

  class Boats extends Part {
    address() {
      const query = new URLSearchParams(this.getAttribute("filter") ?? "");
      query.set("limit", this.getAttribute("limit") ?? "6");
      return `embed/boats?${query}`;
    }
    content(d) {
      return el("section", { class: "embed", "aria-label": d.label },
        el("div", { class: "top" }, el("span", { class: "logo" }, d.logo && el("img", { src: d.logo, alt: "" }), d.name), el("a", { href: d.home }, d.all)),
        d.boats.length ? el("ul", { class: "grid" }, ...d.boats.map(tile)) : el("p", { class: "muted" }, d.none));
    }
  }

  class Boat extends Part {
    address() { return `embed/boats/${this.stock()}`; }
    content(d) { return el("section", { class: "embed narrow", "aria-label": d.label }, el("ul", { class: "grid one" }, ...d.boats.map(tile))); }
  }

  class Form extends Part {
    address() { return this.stock() ? `embed/form/${this.stock()}` : "embed/form"; }
    content(d, site) {
      const field = (name, label, type, more) => el("label", { class: "field" }, el("span", {}, label, more?.required ? "" : el("i", {}, ` ${d.words.optional}`)),
        type === "textarea" ? el("textarea", { name, rows: 3, ...more }) : el("input", { name, type, ...more }));
      const box = (name, text) => el("label", { class: "check" }, el("input", { type: "checkbox", name, value: "yes", autocomplete: "off" }), el("span", {}, text));
      const button = el("button", { class: "btn primary wide" }, d.words.send);
      const said = el("p", { class: "error", role: "alert" });
      const form = el("form", { class: "stack" }, el("h3", {}, d.heading),
        field("name", d.words.name, "text", { autocomplete: "name", required: true, maxlength: 100 }),
        field("email", d.words.email, "email", { autocomplete: "email", required: true, maxlength: 254 }),
        field("phone", d.words.phone, "tel", { autocomplete: "tel", maxlength: 40 }),
        field("message", d.words.message, "textarea", { maxlength: 5000 }),
        el("div", { class: "trap", "aria-hidden": "true" }, el("label", {}, d.words.trap, el("input", { name: "company_url", tabindex: -1, autocomplete: "off" }))),
        el("div", { class: "consent" }, box("consent_sms", d.text_consent), box("consent_email", d.email_consent), el("p", { class: "legal" }, d.words.consent_note)),
        button, el("p", { class: "legal" }, d.basis), said);
      const view = el("section", { class: "embed narrow", "aria-label": d.heading }, form);
      form.addEventListener("submit", async (e) => {
        e.preventDefault();
        const body = new URLSearchParams(new FormData(form));
        body.set("stamp", d.stamp);
        body.set("want", "ask");
        body.set("host", location.href);
        button.disabled = true;
        said.textContent = "";
        try {
          const answer = await fetch(site + this.address().replace("form", "ask"), { method: "POST", body, credentials: "omit" });
          const got = await answer.json();
          if (answer.ok) view.replaceChildren(el("h3", { tabindex: -1 }, got.title), ...got.lines.map((line) => el("p", { class: "muted" }, line)));
          else {
            if (got.stamp) d.stamp = got.stamp;
            said.textContent = got.problem || Object.values(got.errors).join(" ");
            for (const input of form.querySelectorAll("input, textarea")) input.toggleAttribute("aria-invalid", false);
            for (const name of Object.keys(got.errors ?? {})) form.elements[name]?.setAttribute("aria-invalid", "true");
          }
        } catch {
          said.textContent = d.words.failed;
        }
        button.disabled = false;
      });
      return view;
    }
  }

  for (const [name, part] of [["slipway-boats", Boats], ["slipway-boat", Boat], ["slipway-form", Form]]) {
    if (!customElements.get(name)) customElements.define(name, part);
  }
})();
