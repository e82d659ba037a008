import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readFile, stat, symlink } from "node:fs/promises";
import { dirname, join, matchesGlob } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { exitCodeOf } from "../src/core/exit-codes.ts";
import { copiesOf, parseDockerfile, type Instruction } from "./support/dockerfile.ts";
import { temporaryFolder, TOKEN } from "./support/service.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const cloudflare = "inference/deploy/cloudflare";

const lockfile = z.looseObject({
  packages: z.record(
    z.string(),
    z.looseObject({
      dependencies: z.record(z.string(), z.string()).optional(),
      optionalDependencies: z.record(z.string(), z.string()).optional(),
    }),
  ),
});

let instructions: Instruction[];

beforeAll(async () => {
  instructions = parseDockerfile(await readFile(join(root, "inference/Dockerfile"), "utf8"));
});

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Places in the lockfile of a package's production dependencies, however deep, found as Node would find them. */
async function productionPackages(start: string): Promise<string[]> {
  const { packages } = lockfile.parse(JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")));
  const found = new Set<string>();
  const visit = (from: string): void => {
    const entry = packages[from];
    for (const name of Object.keys({ ...entry?.dependencies, ...entry?.optionalDependencies })) {
      let folder = from;
      while (packages[join(folder, "node_modules", name)] === undefined && folder !== ".")
        folder = dirname(folder);
      const place = join(folder, "node_modules", name);
      if (found.has(place) || packages[place] === undefined) continue;
      found.add(place);
      visit(place);
    }
  };
  visit(start);
  return [...found];
}

describe("the Dockerfile", () => {
  it("copies only what exists, and what its ignore file lets through", async () => {
    const ignore = await readFile(join(root, "inference/Dockerfile.dockerignore"), "utf8");
    const allowed = ignore.split("\n").flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : []));
    for (const copy of copiesOf(instructions).filter(({ from }) => from === undefined)) {
      for (const source of copy.sources) {
        expect([source, await exists(join(root, source))]).toEqual([source, true]);
        expect([source, allowed.some((pattern) => matchesGlob(source, pattern))]).toEqual([source, true]);
      }
    }
  });

  it("copies all that is sent to its build", async () => {
    const ignore = await readFile(join(root, "inference/Dockerfile.dockerignore"), "utf8");
    const sent = ignore.split("\n").flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : []));
    const copied = copiesOf(instructions).flatMap(({ from, sources }) => (from === undefined ? sources : []));
    expect([...new Set(copied)].toSorted()).toEqual(sent.toSorted());
  });

  it("sets only variables that the service reads, as do the files for Kubernetes, and the token", async () => {
    const read = new Set(
      [
        ...(await readFile(join(root, "inference/src/platform/env.ts"), "utf8")).matchAll(
          /^ {2}([A-Z_]+): /gm,
        ),
      ].map(([, name]) => name),
    );
    const image = instructions.filter(({ name }) => name === "ENV").map(({ rest }) => rest);
    const inImage = image.flatMap((rest) => [...rest.matchAll(/([A-Z_]+)=/g)].map(([, name]) => name));
    const kubernetes = await readFile(join(root, "inference/deploy/kubernetes.yaml"), "utf8");
    const inCluster = [...kubernetes.matchAll(/name: ([A-Z_]+)/g)].map(([, name]) => name);
    expect(read.size).toBeGreaterThan(3);
    expect([...inImage, ...inCluster].filter((name) => name !== "NODE_ENV" && !read.has(name))).toEqual([]);
    expect(inCluster).toContain("INFERENCE_TOKEN");
    const port = /PORT=(\d+)/.exec(image.join(" "))?.[1];
    expect(kubernetes).toContain(`containerPort: ${port}`);
  });

  it("runs the version of Node that the repository pins, on a CUDA image or its own", async () => {
    const { devDependencies } = z
      .looseObject({ devDependencies: z.record(z.string(), z.string()) })
      .parse(JSON.parse(await readFile(join(root, "package.json"), "utf8")));
    const images = instructions.filter(({ name }) => name === "FROM").map(({ rest }) => rest);
    expect(images[0]).toContain(`node:${devDependencies["node"]}-`);
    expect(images[1]).toBe("${RUNTIME}");
    const defaults = instructions.filter(({ name }) => name === "ARG").map(({ rest }) => rest);
    expect(defaults[0]).toMatch(/^RUNTIME=nvidia\/cuda:12\.[\d.]+-cudnn-runtime-/);
    expect(defaults[1]).toBe("PROVIDER=cuda");
    const containers = z
      .looseObject({
        containers: z.array(
          z.looseObject({
            image: z.string(),
            image_build_context: z.string(),
            image_vars: z.record(z.string(), z.string()),
          }),
        ),
      })
      .parse(JSON.parse(await readFile(join(root, cloudflare, "wrangler.json"), "utf8")));
    expect(containers.containers).toHaveLength(1);
    for (const { image, image_build_context: context, image_vars: variables } of containers.containers) {
      expect(join(cloudflare, image)).toBe("inference/Dockerfile");
      expect(join(cloudflare, context)).toBe(".");
      expect(variables).toEqual({ RUNTIME: images[0]?.split(" ")[0], PROVIDER: "cpu" });
    }
  });

  it("installs for production only and without scripts but one, which is denied to npm elsewhere", async () => {
    const runs = instructions.filter(({ name }) => name === "RUN").map(({ rest }) => rest);
    expect(runs[0]).toBe("npm ci --omit=dev --workspace=@veil/inference --ignore-scripts");
    const script = /node (\S+)/.exec(runs[1] ?? "")?.[1] ?? "";
    expect([script, await exists(join(root, script))]).toEqual([script, true]);
  });

  it("keeps of the packages with networks the files that manifests name", async () => {
    const { file, package: packaged } = z
      .looseObject({ file: z.string(), package: z.looseObject({ name: z.string(), folder: z.string() }) })
      .parse(JSON.parse(await readFile(join(root, "inference/models/ppocr-v4.json"), "utf8")));
    const folder = `node_modules/${packaged.name}/${packaged.folder}`;
    const runs = instructions.filter(({ name }) => name === "RUN").map(({ rest }) => rest);
    expect(runs.find((run) => run.includes(packaged.name))).toContain(`cd ${folder} && test -f ${file}`);
    expect(runs.find((run) => run.includes(packaged.name))).toContain(`! -name ${file} -delete`);
    expect(await exists(join(root, folder, file))).toBe(true);
  });

  it("is not root, has a health check and starts the service", () => {
    const last = instructions.filter(({ stage }) => stage === 1);
    const rest = (name: string): string => last.find((instruction) => instruction.name === name)?.rest ?? "";
    expect(Number(rest("USER").split(":")[0])).toBeGreaterThan(0);
    expect(rest("HEALTHCHECK")).toContain("/healthz");
    expect(JSON.parse(rest("CMD"))).toEqual(["node", "inference/src/main.ts"]);
  });
});

describe("the image's files", () => {
  let app: string;
  let remove: () => Promise<void>;

  beforeAll(async () => {
    const folder = await temporaryFolder();
    ({ remove } = folder);
    app = folder.path;
    for (const { from, sources, target } of copiesOf(instructions).filter(({ stage }) => stage === 1)) {
      if (from !== undefined) continue;
      for (const source of sources) await cp(join(root, source), join(app, target), { recursive: true });
    }
    const places = await productionPackages("inference");
    for (const place of places.filter((name) => !places.some((other) => name.startsWith(`${other}/`)))) {
      if (!(await exists(join(root, place)))) continue;
      await mkdir(dirname(join(app, place)), { recursive: true });
      await cp(join(root, place), join(app, place), {
        recursive: true,
        filter: (path) => !/napi-v6\/(?:darwin|win32)/.test(path),
      });
    }
    await mkdir(join(app, "node_modules/@veil"), { recursive: true });
    await symlink("../../inference", join(app, "node_modules/@veil/inference"));
  });

  afterAll(async () => remove());

  it("hold no development packages and are enough to answer", async () => {
    expect(await exists(join(app, "node_modules/vitest"))).toBe(false);
    expect(await exists(join(app, "node_modules/sharp"))).toBe(true);
    const command = z
      .array(z.string())
      .parse(JSON.parse(instructions.findLast(({ name }) => name === "CMD")?.rest ?? ""));
    const child = spawn(process.execPath, command.slice(1), {
      cwd: app,
      env: {
        NODE_ENV: "production",
        PORT: "0",
        INFERENCE_TOKEN: TOKEN,
        WORKER_THREADS: "1",
        PROVIDER: "cpu",
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const port = await new Promise<number>((resolve, reject) => {
      child.once("exit", () => reject(new Error("The service ended before it listened.")));
      child.stdout.on("data", (chunk: Buffer) => {
        const line = z
          .object({ event: z.string(), port: z.number().optional() })
          .parse(JSON.parse(chunk.toString()));
        if (line.event === "listening" && line.port !== undefined) resolve(line.port);
      });
    });
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    const headers = { authorization: `Bearer ${TOKEN}` };
    const models = await (await fetch(`http://127.0.0.1:${port}/v1/models`, { headers })).json();
    expect(models).toMatchObject({
      categories: expect.arrayContaining(["heads", "writing", "tattoos"]) as string[],
    });
    expect((await fetch(`http://127.0.0.1:${port}/v1/abilities`, { headers })).status).toBe(200);
    child.kill("SIGTERM");
    await once(child, "exit");
    // Its argument is missing, which it says once it has found all its modules.
    const core = ["--experimental-wasm-jspi", "inference/src/core/main.ts"];
    expect(spawnSync(process.execPath, core, { cwd: app }).status).toBe(exitCodeOf("crashed"));
  });
});
