/** The bundled files that browsers load for one kind of page, by name. */
export interface PageFiles {
  readonly styles: readonly string[];
  readonly scripts: readonly string[];
  /** The modules that the scripts import, so that browsers fetch all of them at once. */
  readonly modules: readonly string[];
}

/** A bundled file as it is sent. */
export interface BrowserFile {
  readonly text: string;
  readonly headers: Readonly<Record<"Content-Type" | "Cache-Control", string>>;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
};

const HASHED_NAME = /^(.+)-[A-Z0-9]{8}\.(css|js)$/;

/**
 * Finds a bundled file by its name. A name holds a hash of the content, so browsers keep the file for a year. A page that was opened
 * before a deployment may request an earlier version of a file. It gets the current version, which the browser must not cache.
 */
export function findBrowserFile(
  files: Readonly<Record<string, string>>,
  name: string,
): BrowserFile | undefined {
  const [, stem, extension = ""] = HASHED_NAME.exec(name) ?? [];
  const contentType = CONTENT_TYPES[extension];
  if (stem === undefined || contentType === undefined) return undefined;
  const text = Object.hasOwn(files, name) ? files[name] : undefined;
  if (text !== undefined) return asFile(text, contentType, "public, max-age=31536000, immutable");
  const current = Object.entries(files).find(([other]) => {
    const [, otherStem, otherExtension] = HASHED_NAME.exec(other) ?? [];
    return otherStem === stem && otherExtension === extension;
  });
  if (current === undefined || stem === SHARED_CHUNK) return undefined;
  return asFile(current[1], contentType, "public, max-age=0, must-revalidate");
}

/** The stem of all shared chunks' names, which says nothing about their content. */
const SHARED_CHUNK = "chunk";

function asFile(text: string, contentType: string, cacheControl: string): BrowserFile {
  return { text, headers: { "Content-Type": contentType, "Cache-Control": cacheControl } };
}
