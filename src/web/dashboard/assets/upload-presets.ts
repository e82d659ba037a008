const KEY = "veil.upload-presets";
const MOST_PRESETS = 20;

/** The settings for files, as the form has them. */
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

/** The presets that were created in this browser. Invalid entries are left out, because other code may write to the storage. */
export function readPresets(): OwnPreset[] {
  try {
    const kept: unknown = JSON.parse(window.localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isPreset).slice(0, MOST_PRESETS) : [];
  } catch {
    return [];
  }
}

/** @returns Whether the browser stored them. */
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
