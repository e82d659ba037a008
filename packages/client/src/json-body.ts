import type { RepeatableBody } from "./transport.ts";

/** A request body with a value as JSON. */
export function jsonBody(value: object): RepeatableBody {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return {
    contentType: "application/json",
    sizeBytes: bytes.length,
    open: ({ onPiece }) =>
      new ReadableStream<Uint8Array>({
        start(controller) {
          onPiece(bytes.length);
          controller.enqueue(bytes);
          controller.close();
        },
      }),
  };
}
