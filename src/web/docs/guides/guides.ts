import apiGuide from "../../../../docs/api-guide.md";
import auditTrail from "../../../../docs/audit-trail.md";
import categories from "../../../../docs/categories.md";
import concepts from "../../../../docs/concepts.md";
import corrections from "../../../../docs/corrections.md";
import deploy from "../../../../docs/deploy.md";
import errors from "../../../../docs/errors.md";
import inference from "../../../../docs/inference.md";
import limits from "../../../../docs/limits.md";
import modelCard from "../../../../docs/model-card.md";
import operating from "../../../../docs/operating.md";
import redaction from "../../../../docs/redaction.md";
import report from "../../../../docs/report.md";
import review from "../../../../docs/review.md";
import security from "../../../../docs/security.md";
import uploading from "../../../../docs/uploading.md";
import verification from "../../../../docs/verification.md";
import videoFormats from "../../../../docs/video-formats.md";
import whatVeilProves from "../../../../docs/what-veil-proves.md";
import webhooks from "../../../../docs/webhooks.md";
import typescriptPackage from "../../../../packages/client/README.md";
import pythonPackage from "../../../../packages/python/README.md";

/** A Markdown file of the repository that is also a page of the site. */
export interface Guide {
  /** Its address below `/docs/`. */
  readonly slug: string;
  readonly title: string;
  /** Its file, from the root of the repository. */
  readonly file: string;
  readonly markdown: string;
}

/** All guides in the order of the navigation, by their group. */
export const GUIDE_GROUPS: readonly { readonly name: string; readonly guides: readonly Guide[] }[] = [
  {
    name: "Guides",
    guides: [
      { slug: "quick-start", title: "Quick start", file: "docs/api-guide.md", markdown: apiGuide },
      { slug: "categories", title: "Categories", file: "docs/categories.md", markdown: categories },
      { slug: "concepts", title: "Concepts", file: "docs/concepts.md", markdown: concepts },
      {
        slug: "uploading",
        title: "Uploading in the dashboard",
        file: "docs/uploading.md",
        markdown: uploading,
      },
      { slug: "webhooks", title: "Webhooks", file: "docs/webhooks.md", markdown: webhooks },
      { slug: "errors", title: "Errors", file: "docs/errors.md", markdown: errors },
      { slug: "limits", title: "Limits", file: "docs/limits.md", markdown: limits },
    ],
  },
  {
    name: "Check and correct",
    guides: [
      { slug: "corrections", title: "Corrections", file: "docs/corrections.md", markdown: corrections },
      { slug: "review", title: "Review", file: "docs/review.md", markdown: review },
      {
        slug: "verification",
        title: "Second reading",
        file: "docs/verification.md",
        markdown: verification,
      },
      { slug: "report", title: "Report", file: "docs/report.md", markdown: report },
      { slug: "audit-trail", title: "Audit trail", file: "docs/audit-trail.md", markdown: auditTrail },
    ],
  },
  {
    name: "Packages",
    guides: [
      {
        slug: "typescript",
        title: "TypeScript and the command",
        file: "packages/client/README.md",
        markdown: typescriptPackage,
      },
      { slug: "python", title: "Python", file: "packages/python/README.md", markdown: pythonPackage },
    ],
  },
  {
    name: "What to expect",
    guides: [
      {
        slug: "what-veil-proves",
        title: "What Veil proves, and what it does not",
        file: "docs/what-veil-proves.md",
        markdown: whatVeilProves,
      },
      {
        slug: "redaction",
        title: "What a redacted file keeps",
        file: "docs/redaction.md",
        markdown: redaction,
      },
      {
        slug: "video-formats",
        title: "Video formats",
        file: "docs/video-formats.md",
        markdown: videoFormats,
      },
      {
        slug: "model-card",
        title: "How well things are found",
        file: "docs/model-card.md",
        markdown: modelCard,
      },
      { slug: "security", title: "Security", file: "docs/security.md", markdown: security },
    ],
  },
  {
    name: "Run it yourself",
    guides: [
      { slug: "deploy", title: "Deploying", file: "docs/deploy.md", markdown: deploy },
      { slug: "operating", title: "Operating", file: "docs/operating.md", markdown: operating },
      { slug: "inference", title: "Inference", file: "docs/inference.md", markdown: inference },
    ],
  },
];

/** Every guide. */
export const GUIDES: readonly Guide[] = GUIDE_GROUPS.flatMap(({ guides }) => guides);
