import { faultOf } from "./answered-fault.ts";
import type { Box } from "./editor-geometry.ts";
import type { Keyframe } from "./editor-state.ts";

/** The server searches the frames of half a minute in each direction. */
const TIMEOUT_MS = 60_000;

interface Followed {
  readonly start_seconds: number;
  readonly end_seconds: number;
  readonly keyframes: readonly Keyframe[];
}

/** Requests the path of the object in a box of a frame. Never rejects. */
export async function followBox(
  editor: HTMLElement,
  place: { readonly time_seconds: number; readonly box: Box },
): Promise<{ followed: Followed; fault?: undefined } | { followed?: undefined; fault: string }> {
  try {
    const response = await fetch(editor.dataset["follow"] ?? "", {
      method: "POST",
      headers: {
        Accept: "application/json",
        "Content-Type": "application/json",
        "X-CSRF-Token": editor.dataset["csrf"] ?? "",
      },
      body: JSON.stringify(place),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const answer = (await response.json()) as Partial<Followed> & {
      error?: { message: string; details?: Record<string, unknown> };
    };
    const { start_seconds: start, end_seconds: end, keyframes } = answer;
    if (response.ok && start !== undefined && end !== undefined && keyframes !== undefined)
      return { followed: { start_seconds: start, end_seconds: end, keyframes } };
    return { fault: faultOf(answer.error) };
  } catch {
    return { fault: "The connection was lost. The mask stays where you drew it; try again." };
  }
}
