/**
 * What a refusal says to people: its sentences where it has some for single fields, else its message. A detail that is a text
 * alone is a code for programs.
 */
export function faultOf(error: { message: string; details?: Record<string, unknown> } | undefined) {
  const sentences = Object.values(error?.details ?? {})
    .filter(Array.isArray)
    .flat();
  if (sentences.length > 0) return sentences.join(" ");
  return error?.message ?? "The service's answer could not be read.";
}
