import { gaussian_blur, PhotonImage } from "@cf-wasm/photon";
import { redactStream, type Region } from "../../src/pixels/redaction/index.ts";
import type { ImageFormat } from "../../src/ground/vocabulary/media-values.ts";

/** Radius of the blur that photon applies. */
const BLUR_RADIUS_PX = 12;

let source: Uint8Array = new Uint8Array(0);

/** Stores one picture and redacts it on request: `PUT /`, then `POST /kernel?format=jpeg&method=blur` or `POST /photon`. */
export default {
  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (request.method === "PUT") {
      source = new Uint8Array(await request.arrayBuffer());
      return new Response("stored");
    }
    if (pathname === "/photon") return Response.json({ bytes: blurWithPhoton() });
    if (pathname !== "/kernel") return new Response("ready");
    const regions = await request.json<Region[]>();
    const { stream } = await redactStream({
      open: async () => await Promise.resolve(streamOfChunks(source)),
      format: searchParams.get("format") as ImageFormat,
      regions,
      method: searchParams.get("method") === "blur" ? "blur" : "pixelation",
    });
    let bytes = 0;
    for await (const chunk of stream) bytes += chunk.byteLength;
    return Response.json({ bytes });
  },
};

function blurWithPhoton(): number {
  const image = PhotonImage.new_from_byteslice(source);
  gaussian_blur(image, BLUR_RADIUS_PX);
  const { byteLength } = image.get_bytes_jpeg(90);
  image.free();
  return byteLength;
}

/** The file in chunks, as it would come from storage. */
function streamOfChunks(bytes: Uint8Array): ReadableStream<Uint8Array> {
  const chunkBytes = 65_536;
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.byteLength) controller.close();
      else controller.enqueue(bytes.subarray(at, (at += chunkBytes)));
    },
  });
}
