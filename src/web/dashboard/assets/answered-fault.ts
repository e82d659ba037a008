/**
 * The sentences of an error response for people: those of its fields, or else its message. A detail that is a plain string is a code for
 * programs.
 */
export function faultOf(error: { message: string; details?: Record<string, unknown> } | undefined) {
  const sentences = Object.values(error?.details ?? {})
    .filter(Array.isArray)
    .flat();
  if (sentences.length > 0) return sentences.join(" ");
  return error?.message ?? "The service's answer could not be read.";
}
