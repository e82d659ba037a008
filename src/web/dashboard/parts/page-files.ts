/** Entry sources of a page in `src/web/dashboard/assets`, in addition to those of every page. Their imports are bundled with them. */
interface PageSources {
  readonly script?: string;
  readonly style?: string;
}

/** The sources of each kind of page. `all` is loaded by every page. */
export const PAGE_SOURCES = {
  all: { script: "dashboard.ts", style: "dashboard.css" },
  batch: { script: "batch.ts", style: "styles/media-list.css" },
  compareVersions: { script: "compare-versions.ts", style: "compare.css" },
  deletions: { style: "styles/deletions.css" },
  media: { script: "media.ts", style: "compare.css" },
  mediaList: { script: "media-list.ts", style: "styles/media-list.css" },
  overview: { style: "styles/media-list.css" },
  photoEditor: { script: "editor.ts", style: "editor.css" },
  report: { style: "styles/report.css" },
  review: { script: "review.ts", style: "editor.css" },
  reviewRules: { style: "styles/review-rules.css" },
  security: { style: "styles/security.css" },
  upload: { script: "upload.ts", style: "styles/upload.css" },
  videoEditor: { script: "video-editor.ts", style: "editor.css" },
} as const satisfies Readonly<Record<string, PageSources>>;
