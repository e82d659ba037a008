/** Closes a menu with the Escape key, and when something else is clicked or focused. */
export function closeMenu(menu: HTMLDetailsElement) {
  menu.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary")?.focus();
  });
  for (const kind of ["pointerdown", "focusin"]) {
    document.addEventListener(kind, ({ target }) => {
      if (target instanceof Node && !menu.contains(target)) menu.open = false;
    });
  }
}
