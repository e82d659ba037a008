import { need } from "./elements.ts";
import { shownTime } from "./video-player.ts";
import type { MutedRange } from "./editor-state.ts";
import type { VideoState } from "./video-state.ts";
import type { VideoPlayer } from "./video-player.ts";

/**
 * Lists found speech and muted ranges, to be switched, removed and added.
 *
 * @returns a function that focuses the control of a range in the list
 */
export function takeMuted({
  editor,
  state,
  player,
}: {
  readonly editor: HTMLElement;
  readonly state: VideoState;
  readonly player: VideoPlayer;
}): (range: MutedRange) => void {
  const list = need(editor, "[data-muted-list]", HTMLElement);
  const form = need(editor, "[data-muted-form]", HTMLFormElement);
  let shown: readonly MutedRange[] | undefined;
  const show = () => {
    if (state.muted === shown) return;
    shown = state.muted;
    list.replaceChildren(...shown.map((range) => itemOf(range, { state, player })));
  };
  state.addEventListener("change", show);
  show();
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const fields = new FormData(form);
    const [startSeconds, endSeconds] = [Number(fields.get("start")), Number(fields.get("end"))];
    const end = need(form, "input[name=end]", HTMLInputElement);
    end.setCustomValidity(endSeconds > startSeconds ? "" : "The end must be after the start.");
    if (!form.reportValidity()) return;
    state.addMuted({ startSeconds, endSeconds, sound: fields.get("sound") === "tone" ? "tone" : "silence" });
    form.reset();
  });
  form.addEventListener("input", () => {
    need(form, "input[name=end]", HTMLInputElement).setCustomValidity("");
  });
  return (range) => {
    need(editor, "[data-muted]", HTMLDetailsElement).open = true;
    const item = list.children[state.muted.indexOf(range)];
    const control = item?.querySelector("input, [data-remove]");
    if (control instanceof HTMLElement) control.focus();
  };
}

function itemOf(
  range: MutedRange,
  { state, player }: Pick<Parameters<typeof takeMuted>[0], "state" | "player">,
) {
  const item = document.createElement("li");
  const name = `${shownTime(range.startSeconds)} to ${shownTime(range.endSeconds)}`;
  const place = document.createElement("button");
  place.type = "button";
  place.textContent = name;
  place.addEventListener("click", () => {
    player.seek(range.startSeconds);
  });
  if (range.isSpeech) {
    const label = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = range.isOn;
    box.setAttribute("aria-label", `Mute speech from ${name}`);
    box.addEventListener("change", () => {
      state.switchMuted(range);
    });
    label.append(box, " Speech");
    item.append(label, place);
    return item;
  }
  const remove = document.createElement("button");
  remove.type = "button";
  remove.dataset["remove"] = "";
  remove.textContent = "Remove";
  remove.setAttribute("aria-label", `Remove the muted range from ${name}`);
  remove.addEventListener("click", () => {
    state.switchMuted(range);
  });
  item.append(range.sound === "tone" ? "Tone" : "Silence", place, remove);
  return item;
}
