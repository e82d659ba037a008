/** The storage key for an API key while its tab is open, so that the next page has it too. */
const STORED = "veil-docs-key";
const KEYS_PATH = "/dashboard/docs-key";
/** The place in examples where the key is set. */
const PLACE = "VEIL_API_KEY=";
const BLANK = "veil_…";

interface KeyAnswer {
  /** whether a key can be made, or why not */
  state?: string;
  csrf_token?: string;
  api_key?: string;
  expires_at?: string;
  error?: { message: string };
}

/** Listeners that a page calls with a key. */
const listeners = new Set<(key: string) => void>();
/** The placeholder in each block of code, and its current text. */
const blanks: { text: Text; key: string }[] = [];

/** The key that examples show; empty if there is none. */
export function shownKey() {
  const [key = "", expiresAt = ""] = (sessionStorage.getItem(STORED) ?? "").split(" ");
  return Date.parse(expiresAt) > Date.now() ? key : "";
}

/** @param listener called with each key that is created from now on */
export function onKey(listener: (key: string) => void) {
  listeners.add(listener);
}

/** Puts a test key of the signed-in account into the examples on request. */
export function startKey() {
  for (const block of document.querySelectorAll("main pre code")) {
    const text = block.firstChild;
    if (text instanceof Text && text.data.includes(PLACE + BLANK)) blanks.push({ text, key: BLANK });
  }
  const offer = document.querySelector("[data-docs-key]");
  if (!(offer instanceof HTMLElement) || blanks.length === 0) return;
  const button = offer.querySelector("button");
  if (button === null) return;
  offer.hidden = false;
  button.addEventListener("click", () => void make(offer, button));
  if (shownKey() !== "") show(offer, shownKey());
}

async function make(offer: HTMLElement, button: HTMLButtonElement) {
  button.disabled = true;
  try {
    const { state, csrf_token: token = "" } = await ask("GET", "");
    if (state === "ready") {
      const { api_key: key = "", expires_at: expiresAt = "" } = await ask("POST", token);
      sessionStorage.setItem(STORED, `${key} ${expiresAt}`);
      show(offer, key);
      for (const listener of listeners) listener(key);
    } else if (state === "not_owner") say(offer, "Only owners of a team can create keys. Ask one of them.");
    else say(offer, "Sign in first, then come back to this page.", "/dashboard/sign-in");
  } catch (error) {
    say(offer, error instanceof Error ? error.message : "The key was not created.");
  } finally {
    button.disabled = false;
  }
}

async function ask(method: "GET" | "POST", token: string): Promise<KeyAnswer> {
  const headers = { Accept: "application/json", ...(method === "POST" && { "X-CSRF-Token": token }) };
  const answer = await fetch(KEYS_PATH, { method, headers }).catch(() => {
    throw new Error("The service cannot be reached. Try again.");
  });
  const body = (await answer.json()) as KeyAnswer;
  if (!answer.ok) throw new Error(body.error?.message ?? "The key was not created.");
  return body;
}

function show(offer: HTMLElement, key: string) {
  for (const blank of blanks) {
    blank.text.data = blank.text.data.replaceAll(PLACE + blank.key, PLACE + key);
    blank.key = key;
  }
  offer.querySelector("button")?.remove();
  say(
    offer,
    "The examples show a test key of your account. It ends within a day; the dashboard can revoke it sooner.",
    "/dashboard/keys",
  );
}

/** @param address the link to continue */
function say(offer: HTMLElement, sentence: string, address?: string) {
  const place = offer.querySelector("[role=status]");
  if (place === null) return;
  place.textContent = sentence;
  if (address === undefined) return;
  const link = document.createElement("a");
  link.href = address;
  link.textContent = address.endsWith("/keys") ? "API keys" : "Sign in";
  place.append(" ", link);
}
