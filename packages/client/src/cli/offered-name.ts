import { basename, dirname, join } from "node:path";

/** An extension as the service recognizes it. Digits alone are not one. */
const EXTENSION = /\.((?=\d*[a-z])[a-z\d]{1,5})$/i;
/** Extensions of files that are converted, with the extensions that the redacted file may have. */
const CONVERTED: Readonly<Record<string, readonly string[]>> = {
  mkv: ["mp4", "webm"],
  avi: ["mp4"],
  gif: ["png", "webm"],
  tif: ["png"],
  tiff: ["png"],
  bmp: ["png"],
  heic: ["jpg", "png"],
  heif: ["jpg", "png"],
  avif: ["jpg", "png"],
};

/** Gives a path the extension of the service's name for the file, which matches the file's content. */
export function asOffered(path: string, offeredName: string | undefined): string {
  const extension = extensionOf(offeredName ?? "");
  return extension === undefined ? path : withExtension(path, extension);
}

/** The paths to which a file may be written, before its output format is known. */
export function possiblePaths(path: string): readonly string[] {
  const others = CONVERTED[extensionOf(path)?.toLowerCase() ?? ""];
  return others?.map((extension) => withExtension(path, extension)) ?? [path];
}

function withExtension(path: string, extension: string): string {
  const name = basename(path);
  const own = extensionOf(name);
  if (own?.toLowerCase() === extension.toLowerCase()) return path;
  return join(dirname(path), `${own === undefined ? name : name.slice(0, -own.length - 1)}.${extension}`);
}

function extensionOf(name: string): string | undefined {
  return EXTENSION.exec(name)?.[1];
}
