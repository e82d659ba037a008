import { openPicture, WRITERS } from "../../src/pixels/conversion/open-picture.ts";
import { CONVERSIONS, type ConvertedFormat } from "../../src/ground/vocabulary/media-values.ts";

interface Env {
  /** Serves ranges of the file: `http://source/?start=0&end=10`. */
  readonly SOURCE: Fetcher;
}

/** Converts the file from SOURCE as a job does: `POST /?format=heic&size=1000`. */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    if (request.method === "GET") return new Response("ready");
    const { searchParams } = new URL(request.url);
    const format = searchParams.get("format") as ConvertedFormat;
    const picture = await openPicture(format, {
      sizeBytes: Number(searchParams.get("size")),
      read: async (start, end) =>
        await (await env.SOURCE.fetch(`http://source/?start=${start}&end=${end}`)).bytes(),
    });
    const target = picture.samples === "rgba" ? "png" : CONVERSIONS[format];
    let bytes = 0;
    for await (const chunk of WRITERS[target](picture)) bytes += chunk.byteLength;
    return Response.json({ bytes, megapixels: (picture.width * picture.height) / 1e6 });
  },
};
