interface Edges {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/**
 * Gives every box of a picture a label. A label that would overlap another goes below its box. If it does not fit there either, it shows
 * only while the pointer is on the box.
 */
export function labelBoxes(compare: HTMLElement) {
  for (const picture of compare.querySelectorAll(".picture")) {
    for (const group of picture.querySelectorAll("g[data-thing]")) picture.append(labelOf(group));
    const place = () => {
      placeLabels(picture);
    };
    new ResizeObserver(place).observe(picture);
    compare.addEventListener("change", place);
  }
}

function labelOf(group: Element) {
  const box = group.querySelector("rect");
  const label = document.createElement("span");
  label.className = "tag";
  label.classList.toggle("off", group.classList.contains("off"));
  label.textContent = group.querySelector("title")?.textContent ?? "";
  label.dataset["thing"] = group.getAttribute("data-thing") ?? "";
  label.dataset["category"] = group.getAttribute("data-category") ?? "";
  label.ariaHidden = "true";
  const [left, top] = [shareOf(box, "x"), shareOf(box, "y")];
  const [width, height] = [shareOf(box, "width"), shareOf(box, "height")];
  // The label stays inside the picture.
  if (left < 0.5) label.style.left = `${100 * left}%`;
  else label.style.right = `${100 * (1 - left - width)}%`;
  label.style.setProperty("--above", `${100 * top}%`);
  label.style.setProperty("--below", `${100 * (top + height)}%`);
  return label;
}

function shareOf(box: Element | null, name: string) {
  return Number(box?.getAttribute(name));
}

function placeLabels(picture: Element) {
  const frame = picture.getBoundingClientRect();
  const taken: Edges[] = [];
  for (const label of picture.querySelectorAll(".tag:not(.off)")) {
    label.classList.remove("below", "crowded");
    let edges = label.getBoundingClientRect();
    if (isOver(edges, taken)) {
      label.classList.add("below");
      edges = label.getBoundingClientRect();
    }
    if (isOver(edges, taken) || edges.bottom > frame.bottom + edges.height) {
      label.classList.remove("below");
      label.classList.add("crowded");
    } else {
      taken.push(edges);
    }
  }
}

function isOver(edges: Edges, others: readonly Edges[]) {
  return others.some(
    ({ left, top, right, bottom }) =>
      edges.left < right && left < edges.right && edges.top < bottom && top < edges.bottom,
  );
}
