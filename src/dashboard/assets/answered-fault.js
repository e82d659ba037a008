/**
 * What a refusal says to people: its sentences where it has some for single fields, else its message. A detail that is a text
 * alone is a code for programs.
 *
 * @param {{ message: string, details?: Record<string, unknown> } | undefined} error
 */
export function faultOf(error) {
  const sentences = Object.values(error?.details ?? {})
    .filter(Array.isArray)
    .flat();
  if (sentences.length > 0) return sentences.join(" ");
  return error?.message ?? "The service's answer could not be read.";
}
