// Makes the reference light or dark like the browser. Elements reads the attribute.
// It also keeps typed API keys out of the browser's storage, where they would stay after a
// sign-out.
"use strict";
(() => {
  const keys = "TryIt_securitySchemeValues";
  const setItem = Storage.prototype.setItem;
  Storage.prototype.setItem = function (name, value) { if (name !== keys) setItem.call(this, name, value); };
  localStorage.removeItem(keys);

  const dark = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => { document.documentElement.dataset.theme = dark.matches ? "dark" : "light"; };
  apply();
  dark.addEventListener("change", apply);
})();
