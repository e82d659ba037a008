import { AV1S } from "../video/formats/av1-formats.ts";
import { COPIED } from "../video/formats/copied-sources.ts";
import { FORMATS } from "../video/formats/formats.ts";
import { HIDDEN_SOURCES } from "../video/formats/hidden-sources.ts";
import { HOSTILE_SOURCES } from "../video/formats/hostile-sources.ts";
import { NEGATIVE_TIMES } from "../video/formats/negative-times.ts";
import { OPEN_GROUPS } from "../video/formats/open-groups.ts";
import { nameOf } from "../video/formats/format.ts";
import { ffmpeg } from "./ffmpeg.ts";
import { compareFormat, makeFormat } from "./format-files.ts";

interface OutsideRequest {
  readonly url: string;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** The luma of every stored frame of an MP4, in presentation order. */
async function lumaOf(video: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const args = "-noautorotate -i clip.mp4 -map 0:v -fps_mode passthrough -pix_fmt gray -f rawvideo";
  return (await ffmpeg({ "clip.mp4": video }, args.split(" "), "frames.raw")).bytes;
}

/** Red, green and blue of every frame of a video, in presentation order. */
async function picturesOf(video: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const filter = "-vf scale=flags=bicubic+accurate_rnd+full_chroma_int";
  const args = `-i clip.webm -map 0:v -fps_mode passthrough ${filter} -pix_fmt rgb24 -f rawvideo`;
  return (await ffmpeg({ "clip.webm": video }, args.split(" "), "frames.raw")).bytes;
}

const made = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

/** Creates the files that the Worker under test requests by name, and compares its outputs with them. */
export async function answerWithFormats(request: OutsideRequest): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname === "/frames") return new Response(await lumaOf(new Uint8Array(await request.arrayBuffer())));
  if (pathname === "/pictures")
    return new Response(await picturesOf(new Uint8Array(await request.arrayBuffer())));
  const format = [
    ...FORMATS,
    ...AV1S,
    ...HOSTILE_SOURCES,
    ...HIDDEN_SOURCES,
    ...OPEN_GROUPS,
    ...COPIED,
    ...NEGATIVE_TIMES,
  ].find((candidate) => nameOf(candidate) === searchParams.get("name"));
  if (format === undefined) return new Response("There is no such format.", { status: 404 });
  try {
    const source = made.get(nameOf(format)) ?? makeFormat(format);
    made.set(nameOf(format), source);
    if (pathname === "/source") return new Response(await source);
    const output = new Uint8Array(await request.arrayBuffer());
    return Response.json(await compareFormat(format, await source, output));
  } catch (error) {
    return new Response(error instanceof Error ? (error.stack ?? error.message) : "A fault.", {
      status: 500,
    });
  }
}
