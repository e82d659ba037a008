import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { encode, squaresOnBlack } from "./support/pictures.ts";
import { startTestService, type TestService } from "./support/service.ts";

const FOLDER = join(import.meta.dirname, "../monitoring");
/** Made by Prometheus itself for every target. */
const OF_PROMETHEUS = "up";

let service: TestService;
let text: string;

beforeAll(async () => {
  service = await startTestService();
  const picture = squaresOnBlack(64, 64, [{ x: 8, y: 8, side: 8 }]);
  await service.detect({ categories: ["heads"] }, [await encode(picture, { width: 64, height: 64 })]);
  text = await (await fetch(`${service.url}/metrics`)).text();
});

afterAll(async () => {
  await service.stop();
});

/** Every name a series of the service can be asked for by. */
function shownNames(): Set<string> {
  const names = new Set<string>([OF_PROMETHEUS]);
  for (const [, name = "", type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    names.add(name);
    if (type === "histogram") for (const part of ["bucket", "sum", "count"]) names.add(`${name}_${part}`);
  }
  return names;
}

/** The metrics of some PromQL expressions. */
function askedNames(expressions: readonly string[]): string[] {
  return expressions.flatMap((expression) =>
    [...expression.matchAll(/\b(?:veil|process|nodejs)_[a-z0-9_]+\b|\bup(?=\{)/g)].map(([name]) => name),
  );
}

async function dashboardExpressions(): Promise<string[]> {
  const dashboard = JSON.parse(await readFile(join(FOLDER, "grafana-dashboard.json"), "utf8")) as {
    panels: { targets: { expr: string }[] }[];
  };
  return dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}

it("shows on the dashboard only metrics that there are, and all of the service's own", async () => {
  const asked = new Set(askedNames(await dashboardExpressions()));
  expect([...asked].filter((name) => !shownNames().has(name))).toEqual([]);
  const own = [...text.matchAll(/^# TYPE (veil_\S+)/gm)].map(([, name = ""]) => name);
  const missing = own.filter((name) => ![...asked].some((other) => other.startsWith(name)));
  expect(missing).toEqual([]);
});

it("alerts only on metrics that there are", async () => {
  const rules = await readFile(join(FOLDER, "prometheus-rules.yaml"), "utf8");
  const asked = askedNames([rules]);
  expect(asked.length).toBeGreaterThan(5);
  expect(asked.filter((name) => !shownNames().has(name))).toEqual([]);
  expect(rules.match(/- alert:/g)?.length).toBe(rules.match(/\bsummary:/g)?.length);
});

it("is scaled on Kubernetes by a metric that there is", async () => {
  const manifest = await readFile(join(FOLDER, "../deploy/kubernetes.yaml"), "utf8");
  const asked = askedNames([manifest]);
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.filter((name) => !shownNames().has(name))).toEqual([]);
});

it("says which model runs on which device", () => {
  expect(text).toMatch(/veil_model_info\{model="[^"]+",version="[^"]+",device="cpu"\} 1/);
});
