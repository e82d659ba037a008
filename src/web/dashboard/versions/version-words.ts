import type { FileVersion } from "./versions.data.ts";

/** The origin of a version in words, such as "Correction of version 2". */
export function originOfVersion({ maker, number }: FileVersion, versions: readonly FileVersion[]): string {
  if (maker === undefined) return number === 1 ? "Upload" : "Later version";
  const parent = versions.find(({ row }) => row.id === maker.parentId);
  const parentName = parent === undefined ? "a deleted version" : `version ${parent.number}`;
  const through = maker.actorKind === "api_key" ? " through the API" : "";
  switch (maker.kind) {
    case "media.uploaded":
      return `Upload${through}`;
    case "media.retried":
      return `Retry of ${parentName}${through}`;
    case "media.restored":
      return `Restored ${parentName}`;
    case "media.approved":
      return `Redacted after the review of ${parentName}`;
    case "media.corrected":
      return `Correction of ${parentName} in the review`;
    case "media.revised":
      return `Correction of ${parentName}${through}`;
  }
}

/** Who created a version; undefined if the audit trail no longer says. */
export function makerOfVersion({ maker }: FileVersion): string | undefined {
  if (maker === undefined) return undefined;
  if (maker.actorKind === "operator") return "the operator";
  if (maker.actorKind === "api_key") return `API key ${maker.actorName ?? "that is gone"}`;
  return maker.actorName ?? "a former member";
}

/** A version in one line, such as "Version 2, correction of version 1". */
export function versionInALine(version: FileVersion, versions: readonly FileVersion[]): string {
  return `Version ${version.number}: ${originOfVersion(version, versions)}`;
}
