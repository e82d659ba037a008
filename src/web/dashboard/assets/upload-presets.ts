const KEY = "veil.upload-presets";
const MOST_PRESETS = 20;

/** What is chosen for files, as the form has it. */
export interface Chosen {
  categories: readonly string[];
  method: string;
  sensitivity: string;
  isMuted: boolean;
  isSpeechMuted?: boolean;
  isOnlyLook: boolean;
}

interface OwnPreset {
  readonly name: string;
  readonly chosen: Chosen;
}

/** The presets that were made in this browser. What is there and makes no sense is left out: anybody may write there. */
export function readPresets(): OwnPreset[] {
  try {
    const kept: unknown = JSON.parse(window.localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isPreset).slice(0, MOST_PRESETS) : [];
  } catch {
    return [];
  }
}

/** @returns Whether the browser keeps them. */
export function writePresets(presets: readonly OwnPreset[]): boolean {
  try {
    window.localStorage.setItem(KEY, JSON.stringify(presets.slice(-MOST_PRESETS)));
    return true;
  } catch {
    return false;
  }
}

function isPreset(value: unknown): value is OwnPreset {
  if (typeof value !== "object" || value === null) return false;
  const { name, chosen } = value as Partial<Record<keyof OwnPreset, unknown>>;
  if (typeof name !== "string" || typeof chosen !== "object" || chosen === null) return false;
  const { categories, method, sensitivity } = chosen as Partial<Record<keyof Chosen, unknown>>;
  return (
    Array.isArray(categories) &&
    categories.every((category) => typeof category === "string") &&
    typeof method === "string" &&
    typeof sensitivity === "string"
  );
}
