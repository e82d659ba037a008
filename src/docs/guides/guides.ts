import concepts from "../../../docs/concepts.md";
import corrections from "../../../docs/corrections.md";
import errors from "../../../docs/errors.md";
import limits from "../../../docs/limits.md";
import apiGuide from "../../../docs/api-guide.md";
import webhooks from "../../../docs/webhooks.md";

/** A page of the repository that is shown as a page of the site. */
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
      { slug: "concepts", title: "Concepts and categories", file: "docs/concepts.md", markdown: concepts },
      { slug: "webhooks", title: "Webhooks", file: "docs/webhooks.md", markdown: webhooks },
      { slug: "errors", title: "Errors", file: "docs/errors.md", markdown: errors },
      { slug: "limits", title: "Limits", file: "docs/limits.md", markdown: limits },
      { slug: "corrections", title: "Corrections", file: "docs/corrections.md", markdown: corrections },
    ],
  },
];

/** Every guide. */
export const GUIDES: readonly Guide[] = GUIDE_GROUPS.flatMap(({ guides }) => guides);
