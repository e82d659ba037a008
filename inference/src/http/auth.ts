import { createHash, timingSafeEqual } from "node:crypto";
import { ServiceError } from "../platform/errors.ts";

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/**
 * A check of `Authorization: Bearer …` in constant time: it compares digests of equal length.
 * @returns A function that throws ServiceError `unauthorized`.
 */
export function bearerCheck(token: string): (header: string | undefined) => void {
  const expected = digest(token);
  return (header) => {
    const presented = /^Bearer +(\S+)$/i.exec(header ?? "")?.[1] ?? "";
    if (!timingSafeEqual(digest(presented), expected)) {
      throw new ServiceError({ code: "unauthorized", message: "A valid bearer token is required." });
    }
  };
}
