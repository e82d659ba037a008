import { spawnSync } from "node:child_process";

/** The decoders for a plan's codecs. ffmpeg's own decoder `av1` works only with hardware. */
const DECODERS: Readonly<Record<string, readonly string[]>> = {
  avc: ["h264"],
  hevc: ["hevc"],
  vp8: ["vp8", "libvpx"],
  vp9: ["vp9", "libvpx-vp9"],
  mpeg4: ["mpeg4"],
  mjpeg: ["mjpeg"],
  av1: ["libdav1d", "libaom-av1"],
};
/** Without one of these, some videos could not be processed. */
const NEEDED_CODECS = ["avc", "hevc", "vp8", "vp9", "mpeg4", "mjpeg"];
const NEEDED_ENCODERS = ["libx264", "libvpx", "mjpeg", "libwebp", "rawvideo"];
const TIMEOUT_MS = 20_000;

/** What the installed `ffmpeg` can do. */
export interface FfmpegAbilities {
  /** Codecs that it decodes, by their names in a plan. */
  readonly codecs: readonly string[];
  /** Required codecs and encoders that it lacks. */
  readonly missing: readonly string[];
}

/** Asks the installed `ffmpeg` what it supports; undefined if none is installed. */
export function ffmpegAbilities(): FfmpegAbilities | undefined {
  const decoders = listed("-decoders");
  const encoders = listed("-encoders");
  if (decoders === undefined || encoders === undefined) return undefined;
  const codecs = Object.entries(DECODERS).flatMap(([codec, names]) =>
    names.some((name) => decoders.has(name)) ? [codec] : [],
  );
  const missing = [
    ...NEEDED_CODECS.filter((codec) => !codecs.includes(codec)),
    ...NEEDED_ENCODERS.filter((name) => !encoders.has(name)),
  ];
  return { codecs, missing };
}

/** Names in a list of ffmpeg, each after six flag letters. */
function listed(option: "-decoders" | "-encoders"): ReadonlySet<string> | undefined {
  const { status, stdout } = spawnSync("ffmpeg", ["-hide_banner", option], {
    encoding: "utf8",
    timeout: TIMEOUT_MS,
    stdio: ["ignore", "pipe", "ignore"],
  });
  if (status !== 0) return undefined;
  return new Set([...stdout.matchAll(/^ [VASFXBD.]{6} (\S+)/gm)].map(([, name = ""]) => name));
}
