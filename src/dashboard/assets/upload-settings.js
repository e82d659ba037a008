import { copyOf, need } from "./upload-elements.js";
import { readPresets, writePresets } from "./upload-presets.js";

/** @typedef {import("./upload-presets.js").Chosen} Chosen */

const MOST_FOLDER_CHARACTERS = 500;

/**
 * Lets presets and single settings be chosen.
 *
 * @param {HTMLElement} settings
 * @param {() => void} onChange
 */
export function offerSettings(settings, onChange) {
  const categories = need(settings, "details[data-categories]", HTMLDetailsElement);
  const own = need(settings, "input[name=preset][value=own]", HTMLInputElement);

  /** @param {HTMLInputElement} preset */
  const choosePreset = (preset) => {
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

/**
 * What the form says now.
 *
 * @param {HTMLElement} settings
 * @returns {Chosen}
 */
export function chosenIn(settings) {
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

/**
 * @param {HTMLElement} settings
 * @param {"mute" | "mute_speech"} audio
 */
function isChecked(settings, audio) {
  return inputsOf(settings, "audio").some(({ checked, value }) => checked && value === audio);
}

/**
 * What was chosen, as it is sent with a file. Only what differs from the service's own choice is named: it may not know all of it.
 *
 * @param {Chosen} chosen
 * @param {{ readonly isVideo: boolean, readonly folder: string }} file
 * @returns {readonly (readonly [string, string])[]}
 */
export function fieldsOf(chosen, { isVideo, folder }) {
  const { categories, method, sensitivity, isMuted, isSpeechMuted, isOnlyLook } = chosen;
  /** @type {[string, string][]} */
  const fields = categories.map((category) => ["categories[]", category]);
  fields.push(["redaction_method", method]);
  if (sensitivity !== "normal") fields.push(["sensitivity", sensitivity]);
  if (isOnlyLook) fields.push(["detect_only", "true"]);
  if (isVideo && (isMuted || isSpeechMuted === true))
    fields.push(["audio", isMuted ? "mute" : "mute_speech"]);
  if (isFolderName(folder)) fields.push(["folder", folder]);
  return fields;
}

/**
 * Whether the service takes this name of a folder. It is only information: for a name that no service would take, no file is refused.
 *
 * @param {string} folder
 */
function isFolderName(folder) {
  return (
    folder.length <= MOST_FOLDER_CHARACTERS &&
    !/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(folder) &&
    folder.split("/").every((part) => part.trim() !== "")
  );
}

/**
 * What is chosen, as a person reads it.
 *
 * @param {HTMLElement} settings
 */
export function shownChoice(settings) {
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

/** @param {HTMLElement} settings */
function namesOf(settings) {
  const all = boxes(settings);
  const checked = all.filter((box) => box.checked);
  if (checked.length === all.length && all.length > 3) return "all categories";
  return checked.map((box) => box.labels?.[0]?.textContent.trim()).join(", ");
}

/** @param {HTMLElement} settings */
function boxes(settings) {
  return inputsOf(settings, "categories[]");
}

/**
 * @param {HTMLElement} settings
 * @param {string} name
 */
function inputsOf(settings, name) {
  return [...settings.querySelectorAll("input")].filter((input) => input.name === name);
}

/**
 * @param {HTMLElement} settings
 * @param {string} name
 */
function valueOf(settings, name) {
  return inputsOf(settings, name).find(({ checked }) => checked)?.value;
}

/** @param {HTMLElement} settings */
function checkedPreset(settings) {
  return inputsOf(settings, "preset").find(({ checked }) => checked);
}

/**
 * Whether what is chosen is still what the chosen preset says.
 *
 * @param {HTMLElement} settings
 */
function isPresetStill(settings) {
  const preset = checkedPreset(settings);
  const chosen = chosenIn(settings);
  if (preset === undefined) return false;
  const saved = ownPresetOf(preset);
  if (saved !== undefined) return JSON.stringify(saved) === JSON.stringify(chosen);
  // Presets of the service name categories alone.
  const named = preset.dataset["categories"]?.split(" ") ?? [];
  return named.length === chosen.categories.length && named.every((name) => chosen.categories.includes(name));
}

/**
 * @param {HTMLElement} settings
 * @param {readonly string[]} names
 */
function checkCategories(settings, names) {
  for (const box of boxes(settings)) box.checked = names.includes(box.value);
}

/**
 * @param {HTMLElement} settings
 * @param {Chosen} chosen
 */
function apply(settings, { categories, method, sensitivity, isMuted, isSpeechMuted, isOnlyLook }) {
  checkCategories(settings, categories);
  for (const input of inputsOf(settings, "redaction_method")) input.checked = input.value === method;
  for (const input of inputsOf(settings, "sensitivity")) input.checked = input.value === sensitivity;
  for (const input of inputsOf(settings, "audio"))
    input.checked = input.value === "mute" ? isMuted : isSpeechMuted === true;
  for (const input of inputsOf(settings, "detect_only")) input.checked = isOnlyLook;
}

/** @param {HTMLInputElement} preset */
function ownPresetOf({ dataset }) {
  return readPresets().find(({ name }) => name === dataset["own"])?.chosen;
}

/**
 * Shows the presets of this browser, and lets what is chosen become one.
 *
 * @param {HTMLElement} settings
 * @param {() => void} onChange
 */
function offerOwnPresets(settings, onChange) {
  const cards = need(settings, "[data-presets] .cards", HTMLElement);
  const template = need(settings, "template[data-own-preset]", HTMLTemplateElement);
  const name = need(settings, "[data-preset-name]", HTMLInputElement);
  const save = need(settings, "[data-save-preset]", HTMLButtonElement);
  const note = need(settings, "[data-preset-note]", HTMLElement);

  /** @param {string} [checked] */
  const draw = (checked) => {
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
    // Enter in a form would send it.
    event.preventDefault();
    keep();
  });
  draw();
}
