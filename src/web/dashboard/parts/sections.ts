import type { IconName } from "./icons.tsx";

/** The pages in the navigation of the dashboard, in order. `dashboard.app.tsx` mounts their routes. */
export const SECTIONS = [
  { path: "", title: "Overview", icon: "overview" },
  { path: "/upload", title: "Upload", icon: "upload" },
  { path: "/media", title: "Media", icon: "media" },
  { path: "/review", title: "Review", icon: "review" },
  { path: "/keys", title: "API keys", icon: "keys" },
  { path: "/webhooks", title: "Webhooks", icon: "webhooks" },
  { path: "/team", title: "Team", icon: "team" },
  { path: "/audit", title: "Audit trail", icon: "audit", isForOwners: true },
  { path: "/security", title: "Security", icon: "security" },
  { path: "/plan", title: "Plan", icon: "plan" },
  { path: "/system", title: "System", icon: "system", isForOperator: true },
] as const satisfies readonly Section[];

/** An entry of the navigation. */
export interface Section {
  readonly path: string;
  readonly title: string;
  readonly icon: IconName;
  readonly isForOwners?: boolean;
  readonly isForOperator?: boolean;
}

/** The part of the dashboard that a page belongs to. */
export type SectionTitle = (typeof SECTIONS)[number]["title"];

/** A documentation page. */
export type Guide = readonly [slug: string, title: string];

/** The documentation page of each section. */
export const GUIDES: Readonly<Record<SectionTitle, readonly Guide[]>> = {
  Overview: [
    ["quick-start", "Quick start"],
    ["limits", "Limits"],
    ["errors", "Errors"],
  ],
  Upload: [
    ["uploading", "Uploading"],
    ["categories", "Categories, with pictures"],
    ["video-formats", "Video formats"],
  ],
  Media: [
    ["corrections", "Corrections"],
    ["redaction", "What a redacted file keeps"],
    ["errors", "Why files fail"],
  ],
  Review: [["review", "Review"]],
  "API keys": [
    ["quick-start", "Quick start"],
    ["typescript", "TypeScript and the command"],
    ["python", "Python"],
  ],
  Webhooks: [["webhooks", "Webhooks"]],
  Team: [["concepts", "Concepts"]],
  "Audit trail": [["audit-trail", "Audit trail"]],
  Security: [["security", "Security"]],
  Plan: [["limits", "Limits"]],
  System: [
    ["operating", "Operating"],
    ["errors", "Errors"],
  ],
};
