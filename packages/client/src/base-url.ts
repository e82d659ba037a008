import { VeilError } from "./errors.ts";

const VERSION_PATH = "/api/v1";
const THIS_MACHINE = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Whether a URL's host is this machine. */
export function isThisMachine(url: URL): boolean {
  return THIS_MACHINE.test(url.hostname);
}

/**
 * The URL to which paths are appended. If it is only an origin, the version of the contract is added.
 *
 * @throws VeilError if it is not a URL or would send the key unencrypted to another machine
 */
export function baseUrlOf(text: string | undefined, { allowHttp }: { allowHttp: boolean }): string {
  if (text === undefined || text === "")
    throw new VeilError("The base URL is missing; expected one such as https://veil.example.com/api/v1.");
  if (!URL.canParse(text))
    throw new VeilError(
      `The base URL is ${JSON.stringify(text)}; expected one such as https://veil.example.com/api/v1.`,
    );
  const url = new URL(text);
  const isEncrypted = url.protocol === "https:";
  if (!isEncrypted && !(url.protocol === "http:" && (allowHttp || isThisMachine(url))))
    throw new VeilError(
      `The base URL begins with ${url.protocol}//; expected https://, or http:// to this machine.`,
    );
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new VeilError("The base URL has more than a host and a path; remove the rest.");
  const path = url.pathname.replace(/\/+$/, "");
  return `${url.origin}${path === "" ? VERSION_PATH : path}`;
}
