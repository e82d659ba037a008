// The server renders whole pages. Parts that may change are marked with `data-part`, an ID and a version. While an element is marked
// `data-live`, the page is requested again and changed parts are replaced.

const REFRESH_MS = 1000;
const REFRESH_SLOW_MS = 5000;
const FAST_REFRESHES = 30;
/** A request without an answer must not stop the updates, because the next one may be answered. */
const REFRESH_TIMEOUT_MS = 10_000;

/** The event dispatched on the document after its parts were updated. */
export const REFRESHED = "veil-refreshed";

let isFollowing = false;
let refreshes = 0;
let lastRequest = 0;

/** Updates the page as long as something on it will still change. */
export async function followPage() {
  refreshes = 0;
  if (isFollowing) return;
  isFollowing = true;
  for (; document.querySelector("[data-live]") !== null; refreshes++) {
    await new Promise((resolve) => {
      window.setTimeout(resolve, refreshes < FAST_REFRESHES ? REFRESH_MS : REFRESH_SLOW_MS);
    });
    if (!document.hidden) await refreshPage();
  }
  isFollowing = false;
}

/** Updates the parts of the page. */
async function refreshPage() {
  const request = ++lastRequest;
  const answer = await fetch(window.location.href, {
    headers: { Accept: "text/html" },
    signal: AbortSignal.timeout(REFRESH_TIMEOUT_MS),
  }).catch(() => undefined);
  // The session has ended.
  if (answer?.redirected === true) window.location.reload();
  if (answer?.ok !== true || answer.redirected) return;
  const page = await answer.text().catch(() => undefined);
  // An answer that arrives after a later one is outdated.
  if (page === undefined || request !== lastRequest) return;
  const fresh = new DOMParser().parseFromString(page, "text/html");
  for (const part of document.querySelectorAll("[data-part]")) {
    const next = fresh.getElementById(part.id);
    if (next !== null && part.isConnected) bringUpToDate(part, next);
  }
  document.dispatchEvent(new Event(REFRESHED));
}

function bringUpToDate(part: Element, next: Element) {
  if (part.tagName === "UL") syncRows(part, next);
  else if (versionOf(part) !== versionOf(next)) part.replaceWith(document.importNode(next, true));
  part.toggleAttribute("data-live", next.hasAttribute("data-live"));
}

/** Gives a list the rows of another. Unchanged rows are not replaced, because the focus may be in them. */
function syncRows(list: Element, next: Element) {
  let place = list.firstElementChild;
  for (const row of next.children) {
    const old = [...list.children].find(({ id }) => id === row.id);
    const isSame = old !== undefined && versionOf(old) === versionOf(row);
    if (isSame && old === place) {
      place = place.nextElementSibling;
      continue;
    }
    if (!isSame && old !== undefined) {
      if (old === place) place = place.nextElementSibling;
      old.remove();
    }
    list.insertBefore(isSame ? old : document.importNode(row, true), place);
  }
  while (place !== null) {
    const following = place.nextElementSibling;
    place.remove();
    place = following;
  }
}

function versionOf(element: Element) {
  return element.getAttribute("data-version");
}
