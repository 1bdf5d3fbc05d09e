// Makes the reference light or dark like the browser. Elements reads the attribute.
"use strict";
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => { document.documentElement.dataset.theme = dark.matches ? "dark" : "light"; };
  apply();
  dark.addEventListener("change", apply);
})();
