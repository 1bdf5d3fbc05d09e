// Shows the page in the theme that the console remembers, before anything is drawn.
"use strict";
try {
  const theme = JSON.parse(localStorage.getItem("slipway-theme") ?? '""');
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch { /* the browser stores nothing */ }
