/** Loads a stylesheet that only one screen needs. Files of the console are next to each other. */
export function loadStyles(name: string): Promise<void> {
  return new Promise((resolve) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = new URL(name, import.meta.url).href;
    link.onload = link.onerror = () => resolve();
    document.head.append(link);
  });
}
