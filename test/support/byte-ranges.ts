/** The parts of a `multipart/byteranges` body (RFC 9110 §14.6), in order. Fails if the body is malformed. */
export function partsOf(
  contentType: string | null,
  body: Uint8Array,
): { contentType: string; contentRange: string; bytes: Uint8Array }[] {
  const boundary = /^multipart\/byteranges; boundary=([\w-]+)$/.exec(contentType ?? "")?.[1];
  if (boundary === undefined) throw new Error(`${contentType} is not the type of several ranges.`);
  // One character a byte.
  const pieces = new TextDecoder("latin1").decode(body).split(`\r\n--${boundary}`);
  if (pieces.shift() !== "" || pieces.pop() !== "--\r\n") throw new Error("The body has no borders.");
  let at = 0;
  return pieces.map((piece) => {
    const [, type = "", range = "", content = ""] =
      /^\r\nContent-Type: (.+)\r\nContent-Range: (.+)\r\n\r\n([^]*)$/.exec(piece) ?? [];
    at += `\r\n--${boundary}`.length + piece.length;
    return { contentType: type, contentRange: range, bytes: body.slice(at - content.length, at) };
  });
}
