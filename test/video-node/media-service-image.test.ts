import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

const ENGINE = join(import.meta.dirname, "../../engine");

async function linesOf(file: string): Promise<string[]> {
  return (await readFile(join(ENGINE, file), "utf8")).split("\n");
}

it("the image and the Kubernetes files set only variables that the service reads, and the token", async () => {
  const main = await readFile(join(ENGINE, "src/main.ts"), "utf8");
  const read = new Set([...main.matchAll(/^ {2}([A-Z_]+): /gm)].map(([, name]) => name));
  const image = (await linesOf("Dockerfile")).filter((line) => line.startsWith("ENV "));
  const inImage = image.flatMap((line) => [...line.matchAll(/([A-Z_]+)=/g)].map(([, name]) => name));
  const kubernetes = (await linesOf("deploy/kubernetes.yaml")).join("\n");
  const inCluster = [...kubernetes.matchAll(/name: ([A-Z_]+)/g)].map(([, name]) => name);
  expect(read.size).toBeGreaterThan(3);
  expect([...inImage, ...inCluster].filter((name) => name !== "NODE_ENV" && !read.has(name))).toEqual([]);
  expect(inCluster).toContain("MEDIA_SERVICE_TOKEN");
  const port = /PORT=(\d+)/.exec(image.join(" "))?.[1];
  expect(kubernetes).toContain(`containerPort: ${port}`);
});

it("all that the image copies from here is sent to its build, and all that is sent is copied", async () => {
  const copied = (await linesOf("Dockerfile"))
    .filter((line) => line.startsWith("COPY ") && !line.includes("--from="))
    .flatMap((line) => line.split(" ").slice(1, -1));
  const sent = (await linesOf("Dockerfile.dockerignore"))
    .filter((line) => line.startsWith("!"))
    .map((line) => line.slice(1));
  expect([...new Set(copied)].sort()).toEqual(sent.sort());
});
