import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import { ROOT } from "./wrangler.ts";

/** Reports which tests were skipped and why, so that skipped tests are not mistaken for passed ones. */
export default class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) {
      const reasons = new Set<string>();
      let count = 0;
      for (const test of module.children.allTests("skipped")) {
        count += 1;
        const result = test.result();
        if (result.state === "skipped" && result.note !== undefined) reasons.add(result.note);
      }
      if (count === 0) continue;
      const why = reasons.size === 0 ? "" : ` (${[...reasons].join(" ")})`;
      console.log(`SKIPPED: ${count} tests of ${relative(ROOT, module.moduleId)}${why}`);
    }
  }
}
