/** The rooms of `src/`, which are its top-level folders, from top to bottom. */
export const ROOMS: readonly string[] = ["entries", "web", "intake", "work", "records", "pixels", "ground"];

/**
 * The floors that folders stand on, top to bottom. A file imports only from its own folder and from the floors below it. This includes
 * types, and files that are loaded by their URL. `.` stands for files without a folder. Each folder stands on one floor.
 * In `src/`, the floors of a room stand together, and the rooms stand on each other.
 */
export const FLOORS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  src: [
    // entries
    ["entries"],
    // web
    ["web/dashboard"],
    ["web/dashboard/media", "web/dashboard/overview", "web/dashboard/review"],
    [
      "web/dashboard/audit",
      "web/dashboard/editor",
      "web/dashboard/keys",
      "web/dashboard/reasons",
      "web/dashboard/report",
      "web/dashboard/sign-in",
      "web/dashboard/system",
      "web/dashboard/team",
      "web/dashboard/upload",
      "web/dashboard/versions",
      "web/dashboard/webhooks",
      "web/docs",
    ],
    ["web/dashboard/parts", "web/docs/pages"],
    [
      "web/dashboard/assets",
      "web/dashboard/assets/styles",
      "web/dashboard/request",
      "web/docs/assets",
      "web/docs/assets/styles",
      "web/docs/examples",
      "web/docs/guides",
      "web/docs/reference",
      "web/style",
    ],
    // intake
    ["intake/revisions"],
    ["intake/uploads"],
    ["intake/uploads/resumable"],
    ["intake/limits", "intake/uploads/body", "intake/uploads/files"],
    // work
    ["work/video"],
    ["work/video/steps"],
    ["work/video/output"],
    ["work/video/follow", "work/video/patches", "work/video/sound"],
    ["work/maintenance", "work/video/engine", "work/video/sampling"],
    ["work/images", "work/video/tasks"],
    ["work/detection", "work/moving", "work/webhooks"],
    ["work/jobs", "work/video/containers", "work/video/tracks"],
    // records
    ["records/deletions", "records/report"],
    ["records/audit-trail", "records/media-api", "records/uploads", "records/verification"],
    ["records/masking", "records/retention", "records/review", "records/usage", "records/video-tasks"],
    ["records/media"],
    ["records/events"],
    ["records/accounts"],
    ["records/audit", "records/dead-letters", "records/idempotency"],
    ["records/directory"],
    // pixels
    ["pixels/conversion", "pixels/redaction"],
    ["pixels/redaction/jpeg", "pixels/redaction/png", "pixels/redaction/webp"],
    ["pixels/redaction/painting"],
    ["pixels/redaction/icc", "pixels/redaction/regions"],
    ["pixels/redaction/bytes", "pixels/redaction/jpeg/assembly", "pixels/redaction/png/assembly"],
    ["pixels/geometry"],
    // ground
    ["ground/public-hosts"],
    ["ground/platform"],
    ["ground/config"],
    ["ground/vocabulary"],
  ],
  "inference/src": [
    ["."],
    ["http"],
    ["engine"],
    ["core"],
    ["pipeline"],
    ["finders"],
    ["workers"],
    ["second-look", "speech", "writing"],
    ["models"],
    ["models/adapters", "codes"],
    ["images", "detections"],
    ["geometry"],
    ["platform"],
  ],
  "packages/client/src": [["cli"], ["node"], ["."]],
};
