import { need, copyOf } from "./elements.ts";
import { readPresets, writePresets } from "./upload-presets.ts";
import type { Chosen } from "./upload-presets.ts";

const MOST_FOLDER_CHARACTERS = 500;

/** Handles the choice of presets and single settings. */
export function offerSettings(settings: HTMLElement, onChange: () => void) {
  const categories = need(settings, "details[data-categories]", HTMLDetailsElement);
  const own = need(settings, "input[name=preset][value=own]", HTMLInputElement);

  const choosePreset = (preset: HTMLInputElement) => {
    const chosen = ownPresetOf(preset);
    if (chosen !== undefined) apply(settings, chosen);
    else if (preset === own) categories.open = true;
    else checkCategories(settings, preset.dataset["categories"]?.split(" ") ?? []);
  };
  settings.addEventListener("change", (event) => {
    const input = event.target;
    if (!(input instanceof HTMLInputElement)) return;
    if (input.name === "preset") choosePreset(input);
    else if (input.name !== "" && !isPresetStill(settings)) own.checked = true;
    tell();
  });
  for (const details of settings.querySelectorAll("details"))
    details.addEventListener("toggle", () => {
      if (details.open) details.scrollIntoView({ block: "nearest" });
    });
  const tell = () => {
    need(settings, "[data-chosen]", HTMLElement).textContent = namesOf(settings) || "none";
    onChange();
  };
  offerOwnPresets(settings, tell);
  const first = checkedPreset(settings);
  if (first !== undefined) choosePreset(first);
  tell();
}

/** The current settings of the form. */
export function chosenIn(settings: HTMLElement): Chosen {
  return {
    categories: boxes(settings)
      .filter(({ checked }) => checked)
      .map(({ value }) => value),
    method: valueOf(settings, "redaction_method") ?? "blur",
    sensitivity: valueOf(settings, "sensitivity") ?? "normal",
    isMuted: isChecked(settings, "mute"),
    isSpeechMuted: isChecked(settings, "mute_speech"),
    isOnlyLook: valueOf(settings, "detect_only") !== undefined,
  };
}

function isChecked(settings: HTMLElement, audio: "mute" | "mute_speech") {
  return inputsOf(settings, "audio").some(({ checked, value }) => checked && value === audio);
}

/**
 * The settings as form fields of a file. Settings that equal the service's defaults are left out, because the service may not support all
 * of them.
 */
export function fieldsOf(
  chosen: Chosen,
  { isVideo, folder }: { readonly isVideo: boolean; readonly folder: string },
): readonly (readonly [string, string])[] {
  const { categories, method, sensitivity, isMuted, isSpeechMuted, isOnlyLook } = chosen;
  const fields: [string, string][] = categories.map((category) => ["categories[]", category]);
  fields.push(["redaction_method", method]);
  if (sensitivity !== "normal") fields.push(["sensitivity", sensitivity]);
  if (isOnlyLook) fields.push(["detect_only", "true"]);
  if (isVideo && (isMuted || isSpeechMuted === true))
    fields.push(["audio", isMuted ? "mute" : "mute_speech"]);
  if (isFolderName(folder)) fields.push(["folder", folder]);
  return fields;
}

/** Whether the service accepts this folder name. The folder is only information, so an invalid name does not cause a file to be refused. */
function isFolderName(folder: string) {
  return (
    folder.length <= MOST_FOLDER_CHARACTERS &&
    !/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(folder) &&
    folder.split("/").every((part) => part.trim() !== "")
  );
}

/** The settings in words. */
export function shownChoice(settings: HTMLElement) {
  const { method, sensitivity, isMuted, isSpeechMuted, isOnlyLook } = chosenIn(settings);
  return [
    namesOf(settings),
    isOnlyLook ? "review before redacting" : method,
    sensitivity === "normal" ? "" : `${sensitivity} sensitivity`,
    isMuted ? "videos without sound" : isSpeechMuted ? "videos without speech" : "",
  ]
    .filter(Boolean)
    .join(", ");
}

function namesOf(settings: HTMLElement) {
  const all = boxes(settings);
  const checked = all.filter((box) => box.checked);
  if (checked.length === all.length && all.length > 3) return "all categories";
  return checked.map((box) => box.labels?.[0]?.textContent.trim()).join(", ");
}

function boxes(settings: HTMLElement) {
  return inputsOf(settings, "categories[]");
}

function inputsOf(settings: HTMLElement, name: string) {
  return [...settings.querySelectorAll("input")].filter((input) => input.name === name);
}

function valueOf(settings: HTMLElement, name: string) {
  return inputsOf(settings, name).find(({ checked }) => checked)?.value;
}

function checkedPreset(settings: HTMLElement) {
  return inputsOf(settings, "preset").find(({ checked }) => checked);
}

/** Whether the settings still match the selected preset. */
function isPresetStill(settings: HTMLElement) {
  const preset = checkedPreset(settings);
  const chosen = chosenIn(settings);
  if (preset === undefined) return false;
  const saved = ownPresetOf(preset);
  if (saved !== undefined) return JSON.stringify(saved) === JSON.stringify(chosen);
  // The service's presets name only categories.
  const named = preset.dataset["categories"]?.split(" ") ?? [];
  return named.length === chosen.categories.length && named.every((name) => chosen.categories.includes(name));
}

function checkCategories(settings: HTMLElement, names: readonly string[]) {
  for (const box of boxes(settings)) box.checked = names.includes(box.value);
}

function apply(
  settings: HTMLElement,
  { categories, method, sensitivity, isMuted, isSpeechMuted, isOnlyLook }: Chosen,
) {
  checkCategories(settings, categories);
  for (const input of inputsOf(settings, "redaction_method")) input.checked = input.value === method;
  for (const input of inputsOf(settings, "sensitivity")) input.checked = input.value === sensitivity;
  for (const input of inputsOf(settings, "audio"))
    input.checked = input.value === "mute" ? isMuted : isSpeechMuted === true;
  for (const input of inputsOf(settings, "detect_only")) input.checked = isOnlyLook;
}

function ownPresetOf({ dataset }: HTMLInputElement) {
  return readPresets().find(({ name }) => name === dataset["own"])?.chosen;
}

/** Shows the presets of this browser, and saves the current settings as a preset. */
function offerOwnPresets(settings: HTMLElement, onChange: () => void) {
  const cards = need(settings, "[data-presets] .cards", HTMLElement);
  const template = need(settings, "template[data-own-preset]", HTMLTemplateElement);
  const name = need(settings, "[data-preset-name]", HTMLInputElement);
  const save = need(settings, "[data-save-preset]", HTMLButtonElement);
  const note = need(settings, "[data-preset-note]", HTMLElement);

  const draw = (checked?: string) => {
    for (const old of cards.querySelectorAll(".card-choice:has([data-own])")) old.remove();
    for (const [index, preset] of readPresets().entries()) {
      const card = copyOf(template);
      const input = need(card, "input", HTMLInputElement);
      const label = need(card, "label", HTMLLabelElement);
      const remove = need(card, "button", HTMLButtonElement);
      input.id = `preset-own-${index}`;
      input.value = `own-${index}`;
      input.dataset["own"] = preset.name;
      input.checked = preset.name === checked;
      label.htmlFor = input.id;
      label.textContent = preset.name;
      need(card, "small", HTMLElement).textContent =
        `Your preset, ${preset.chosen.categories.length} categories`;
      remove.setAttribute("aria-label", `Delete the preset ${preset.name}`);
      remove.addEventListener("click", () => {
        const wasChecked = input.checked;
        writePresets(readPresets().filter((other) => other.name !== preset.name));
        draw();
        const own = need(settings, "input[name=preset][value=own]", HTMLInputElement);
        if (wasChecked) own.checked = true;
        own.focus();
        onChange();
      });
      cards.append(card);
    }
  };
  const keep = () => {
    const wanted = name.value.trim();
    const chosen = chosenIn(settings);
    if (wanted === "" || chosen.categories.length === 0) {
      note.textContent = wanted === "" ? "Enter a name first." : "Choose at least one category first.";
      name.focus();
      return;
    }
    const others = readPresets().filter((other) => other.name !== wanted);
    const isKept = writePresets([...others, { name: wanted, chosen }]);
    note.textContent = isKept
      ? `“${wanted}” is saved. It is kept in this browser only.`
      : "This browser cannot keep presets: its storage is off or full.";
    if (!isKept) return;
    name.value = "";
    draw(wanted);
    onChange();
  };
  save.addEventListener("click", keep);
  name.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    // Enter would submit the form.
    event.preventDefault();
    keep();
  });
  draw();
}
