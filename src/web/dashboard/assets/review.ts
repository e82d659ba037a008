// The review queue: one file after the other, with one key per decision. The next file is loaded ahead.
import { showLocalTime } from "./page-behaviors.ts";
import { decide, note, placeOf, takeBack } from "./review-decisions.ts";
import { need, enhanceEach } from "./elements.ts";
import { ReviewItems, noteFieldOf } from "./review-items.ts";
import type { Item } from "./review-items.ts";

/** How long a file must be shown before it can be approved, because the second click of a double click was meant for the file before. */
const LEAST_SHOWN_MS = 700;
/** How often the page requests its position in the queue, which other people change too. */
const PLACE_MS = 15_000;

enhanceEach("[data-review]", HTMLElement, openReview);

function openReview(review: HTMLElement) {
  const queue = { path: review.dataset["review"] ?? "", csrf: review.dataset["csrf"] ?? "" };
  const items = new ReviewItems(need(review, "[data-review-items]", HTMLElement), queue.path);
  const status = need(review, "[data-review-status]", HTMLElement);
  const place = need(review, "[data-review-place]", HTMLElement);
  const faults = need(review, "[data-review-faults]", HTMLUListElement);
  const undoButton = need(review, "[data-review-undo]", HTMLButtonElement);
  const decided: { readonly item: Item; readonly fault: Promise<string | undefined> }[] = [];
  let placesAsked = 0;
  let isMoving = false;
  let shownAtMs = performance.now();
  let current = items.adoptFirst(need(review, "form[data-review-item]", HTMLFormElement));

  const KEYS = {
    a: async (event) => await approve(event, false),
    j: async () => await move("nextOf"),
    k: async () => await move("previousOf"),
    u: undo,
    o: async () => {
      await settled();
      window.location.assign(current.form.dataset["edit"] ?? "");
    },
  } as Readonly<Record<string, (event: Event) => Promise<void>>>;
  review.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target instanceof HTMLTextAreaElement) return;
    const act = KEYS[event.key.toLowerCase()];
    if (act === undefined) return;
    event.preventDefault();
    void onceAtATime(async () => await act(event));
  });
  review.addEventListener("submit", (event) => {
    event.preventDefault();
    const isNote = event.submitter?.matches("[data-review-note]") === true;
    void onceAtATime(async () => {
      if (!isNote) await approve(event, false);
      else if (noteFieldOf(current).value.trim() === "") say("Write the note first.");
      else await addNote();
    });
  });
  review.addEventListener("click", (event) => {
    if (!(event.target instanceof Element)) return;
    if (event.target.closest("[data-review-unseen]") !== null) current.film?.playUnseen();
    if (event.target.closest("[data-review-approve], [data-review-anyway]") === null) return;
    if (event.detail > 1) event.preventDefault();
    else if (event.target.closest("[data-review-anyway]") !== null)
      void onceAtATime(async () => await approve(event, true));
  });
  for (const [selector, act] of [
    ["[data-review-next]", KEYS["j"]],
    ["[data-review-previous]", KEYS["k"]],
    ["[data-review-undo]", KEYS["u"]],
  ] as const) {
    need(review, selector, HTMLElement).addEventListener("click", (event) => {
      event.preventDefault();
      if (act !== undefined) void onceAtATime(async () => await act(event));
    });
  }
  // Media events do not bubble.
  for (const type of ["timeupdate", "seeked", "pause", "ended"]) review.addEventListener(type, relent, true);
  window.addEventListener("beforeunload", (event) => {
    if (items.hasUnsaved) event.preventDefault();
  });
  document.addEventListener("visibilitychange", showPlaceIfSeen);
  window.setInterval(showPlaceIfSeen, PLACE_MS);
  show(current, undefined, "");

  /** Removes the warning once nothing is unseen. While the video plays, the warning is not updated. */
  function relent({ type }: Event) {
    const sentence = current.form.querySelector("[data-review-caution]:not([hidden])");
    if (sentence === null || current.film === undefined) return;
    const unseen = current.film.unseen();
    if (unseen !== undefined && type === "timeupdate") return;
    caution(current, unseen);
    if (unseen === undefined) say("You have seen every mask.");
  }

  function showPlaceIfSeen() {
    if (!document.hidden) void showPlace();
  }

  async function onceAtATime(act: () => Promise<void>) {
    if (isMoving) return;
    isMoving = true;
    review.ariaBusy = "true";
    try {
      await act();
    } catch (error) {
      say(error instanceof Error ? error.message : "Something went wrong. Reload the page.");
    } finally {
      isMoving = false;
      review.ariaBusy = "false";
    }
  }

  /** @param isSure whether the person has confirmed the warning */
  async function approve(event: Event, isSure: boolean) {
    if (event.timeStamp < shownAtMs + LEAST_SHOWN_MS) return;
    if (!current.isSeen) {
      say("The picture is still loading.");
      return;
    }
    if (current.form.dataset["state"] !== "waiting") {
      await move("nextOf");
      return;
    }
    const unseen = current.film?.unseen();
    caution(current, unseen);
    if (unseen !== undefined && !isSure) {
      shownAtMs = performance.now();
      return;
    }
    if (noteFieldOf(current).value.trim() !== "" && !(await addNote())) return;
    const item = current;
    const isCorrected = item.state?.isChanged === true;
    // Requested before the decision, while the file is still in the queue.
    const next = await items.nextOf(item).catch(() => "lost");
    const fault = decide(item, queue, unseen === undefined);
    item.form.dataset["state"] = "decided";
    decided.push({ item, fault });
    void follow(item, fault);
    const said = `${item.name} is approved${isCorrected ? " with your changes" : ""}. `;
    if (next === undefined) await leave();
    else if (typeof next !== "string") show(next, undefined, said);
    else {
      undoButton.disabled = false;
      say(`${said}The next one could not be loaded: approve once more to try again.`);
    }
  }

  /** Saves a note about the shown file. @returns whether the service saved it */
  async function addNote() {
    const field = noteFieldOf(current);
    const text = field.value.trim();
    const fault = await note(current, queue, text);
    if (fault !== undefined) {
      say(fault);
      return false;
    }
    field.value = "";
    const line = document.createElement("li");
    const about = document.createElement("small");
    const time = document.createElement("time");
    time.dateTime = new Date().toISOString();
    showLocalTime(time);
    about.append(`${review.dataset["reviewer"]}, `, time);
    line.append(text, about);
    need(current.form, "[data-review-notes]", HTMLElement).append(line);
    say("The note is kept. The file is still in the queue.");
    return true;
  }

  async function follow(item: Item, fault: Promise<string | undefined>) {
    const text = await fault;
    if (text !== undefined) tellFault(item, text);
  }

  async function move(side: "nextOf" | "previousOf") {
    const item = await items[side](current);
    if (item === undefined) {
      say(`This is the ${side === "nextOf" ? "last" : "first"} file in the queue.`);
      void showPlace();
    } else show(item, current, "");
  }

  async function undo() {
    const last = decided.pop();
    if (last === undefined) return;
    undoButton.disabled = decided.length === 0;
    say("Undoing the approval…");
    if ((await last.fault) === undefined) {
      const fault = await takeBack(last.item, queue);
      if (fault !== undefined) {
        tellFault(last.item, fault);
        return;
      }
    }
    const item = await items.fresh(last.item.id);
    if (item !== undefined) show(item, undefined, `${item.name} is waiting for review again. `);
  }

  /**
   * @param from the file shown before, if it must stay on the page
   * @param said the message to show first
   */
  function show(item: Item, from: Item | undefined, said: string) {
    current = item;
    shownAtMs = performance.now();
    items.show(item, from);
    void Promise.allSettled([items.nextOf(item), items.previousOf(item)]);
    window.history.replaceState(null, "", `${queue.path}/${item.id}`);
    const stage = item.form.querySelector("svg.stage");
    if (stage instanceof SVGSVGElement) stage.focus({ preventScroll: true });
    else item.form.focus({ preventScroll: true });
    undoButton.disabled = decided.length === 0;
    say(said);
    void showPlace();
  }

  /** Shows the file's position in the queue according to the service, because other people decide too and files are added. */
  async function showPlace() {
    const asked = ++placesAsked;
    const { id } = current;
    await settled();
    const text = await placeOf(queue, id, decided.length);
    // Only the latest request is about the file that is shown now.
    if (asked === placesAsked) place.textContent = text;
  }

  /** Leaves at the end of the queue, once all pending requests are answered. */
  async function leave() {
    say("You reached the end of the queue.");
    const results = await settled();
    undoButton.disabled = false;
    if (results.every((fault) => fault === undefined))
      window.location.assign(`${queue.path}?notice=review_end`);
  }

  async function settled() {
    return await Promise.all(decided.map(({ fault }) => fault));
  }

  function say(text: string) {
    status.textContent = text;
  }

  function tellFault(item: Item, text: string) {
    const line = document.createElement("li");
    const link = document.createElement("a");
    link.href = `${queue.path}/${item.id}`;
    link.textContent = item.name;
    line.append(link, document.createTextNode(`: ${text}`));
    faults.append(line);
  }
}

/** Warns about unseen parts of a video, with a separate button to approve it anyway. */
function caution({ form }: Item, unseen: string | undefined) {
  const isUnseen = unseen !== undefined;
  const sentence = need(form, "[data-review-caution]", HTMLElement);
  sentence.textContent = unseen ?? "";
  sentence.hidden = !isUnseen;
  for (const name of ["unseen", "anyway"])
    need(form, `[data-review-${name}]`, HTMLElement).hidden = !isUnseen;
}
