import { execFile } from "node:child_process";
import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv, promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { lackingSecrets, wrongSecrets } from "../../scripts/lib/deployed-settings.ts";
import { WORKERS } from "../../scripts/lib/deployed-workers.ts";
import { writeSecretsOf } from "../../scripts/lib/worker-secrets.ts";
import { variableFaults } from "../../src/ground/config/workers.config.ts";
import { ROOT } from "../../scripts/lib/wrangler.ts";
import { AccountOnDisk } from "./support/fake-account.ts";

const execute = promisify(execFile);
const KEY = Buffer.from("a key of 32 bytes, never printed").toString("base64");
const GOOD = {
  INFERENCE_URL: "https://inference.acme.io",
  INFERENCE_TOKEN: "a-token-that-must-not-be-printed",
  WEBHOOK_SECRET_KEYS: KEY,
  AUTH_SECRET: "a-secret-that-must-not-be-printed",
  PUBLIC_URL: "https://veil.acme.io",
};

async function fileOf(account: AccountOnDisk, secrets: Readonly<Record<string, string>>): Promise<string> {
  const file = join(account.folder, "secrets.env");
  const lines = Object.entries(secrets).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(file, lines.join(""));
  return file;
}

test("secrets that production works with are not refused", () => {
  expect([...wrongSecrets(GOOD, {}), ...lackingSecrets(GOOD)]).toEqual([]);
});

describe("a secret that production would refuse", () => {
  test.for([
    ["PUBLIC_URL", "http://veil.acme.io", "begins with http://; expected https://"],
    ["PUBLIC_URL", "veil.acme.io", "cannot be read"],
    ["PUBLIC_URL", "https://localhost:8787", "not on the public internet"],
    ["PUBLIC_URL", "https://10.0.0.1", "not on the public internet"],
    ["PUBLIC_URL", "https://veil.acme.io/api", "expected https://veil.acme.io."],
    ["INFERENCE_URL", "http://inference.acme.io", "expected https://"],
    ["INFERENCE_TOKEN", "short", "has 5 characters; use 16 or more"],
    ["WEBHOOK_SECRET_KEYS", "not-a-key", "Expected keys of 32 bytes in base64"],
    ["WEBHOOK_SECRET_KEYS", `${KEY} ${KEY.slice(4)}`, "Expected keys of 32 bytes in base64"],
    ["INFERENCE_URL", "https://inference.example.com", "inference.example.com is a placeholder"],
    ["PUBLIC_URL", "https://veil-production-api.your-name.workers.dev", "is a placeholder"],
    ["INFERENCE_TOKEN", "the token that the inference service was started with", "placeholder from the doc"],
    ["AUTH_SECRET", "the output of: openssl rand -base64 48", "placeholder from the documentation"],
    ["CORS_ORIGINS", "https://app.acme.io/path", "Expected origins such as"],
    ["CORS_ORIGINS", "https://app.acme.io, app.acme.io", "Expected origins such as"],
    ["SIGN_UP", "everybody", 'Found "everybody". Expected open, invited or closed.'],
    ["MAX_FILE_BYTES", "100 MB", 'Found "100 MB". Expected a whole number of bytes from 1 to 5000000000.'],
    ["MAX_FILE_BYTES", "0", 'Found "0". Expected'],
    ["LEASE_SECONDS", "901", 'Found "901". Expected a whole number of seconds from 1 to 900.'],
    ["WEBHOOK_TIMEOUT_SECONDS", "10.5", 'Found "10.5". Expected'],
    ["VIDEO_PARALLEL_SEGMENTS", "-1", 'Found "-1". Expected a whole number of segments from 1 to 100.'],
    ["MAX_IMAGE_MEGAPIXELS", "1e2", 'Found "1e2". Expected'],
    ["DETECTOR", "yolo", 'Found "yolo". Expected inference or huggingface.'],
    ["AUTH_SECRET", "short", "The secret has 5 characters; use 32 or more."],
    [
      "OUTPUT_RETENTION_DAYS",
      "999999999",
      'Found "999999999". Expected a whole number of days from 0 to 3650.',
    ],
    ["HUGGINGFACE_LABELS", '{"person": "faces"}', "Expected a JSON object of labels and categories"],
    ["LOCAL_DEVELOPMENT", "true", "must not be deployed"],
    ["INFERENCE_ULR", "https://inference.acme.io", "Did you mean INFERENCE_URL?"],
  ] as const)("%s=%s", ([name, value, sentence]) => {
    const [wrong = "", ...others] = wrongSecrets({ ...GOOD, [name]: value }, {});
    expect(others).toEqual([]);
    expect(wrong).toMatch(new RegExp(`^${name}: `));
    expect(wrong).toContain(sentence);
  });

  test("the values of .dev.vars.example, which everybody can read", async () => {
    const examples = parseEnv(await readFile(join(ROOT, ".dev.vars.example"), "utf8"));
    const { WEBHOOK_SECRET_KEYS = "", AUTH_SECRET = "", INFERENCE_TOKEN = "" } = examples;
    const wrong = wrongSecrets({ ...GOOD, WEBHOOK_SECRET_KEYS, AUTH_SECRET, INFERENCE_TOKEN }, {}).join("\n");
    for (const name of ["WEBHOOK_SECRET_KEYS", "AUTH_SECRET", "INFERENCE_TOKEN"]) {
      expect(wrong).toContain(`${name}: This is the value of .dev.vars.example`);
    }
  });
});

describe("a secret that production needs", () => {
  test.for(["INFERENCE_URL", "INFERENCE_TOKEN", "WEBHOOK_SECRET_KEYS", "PUBLIC_URL"] as const)(
    "without %s, and with it empty",
    (name) => {
      const { [name]: _left, ...others } = GOOD;
      for (const secrets of [others, { ...GOOD, [name]: "" }]) {
        expect(lackingSecrets(secrets)).toEqual([expect.stringMatching(new RegExp(`^${name} is missing; `))]);
      }
    },
  );

  test("the halves of what comes in pairs", () => {
    expect(lackingSecrets({ ...GOOD, GITHUB_CLIENT_ID: "id" })).toEqual([
      "GITHUB_CLIENT_SECRET is missing; GITHUB_CLIENT_ID needs it.",
    ]);
    expect(lackingSecrets({ ...GOOD, INFERENCE_ACCESS_CLIENT_ID: "id" })).toEqual([
      "INFERENCE_ACCESS_CLIENT_SECRET is missing; INFERENCE_ACCESS_CLIENT_ID needs it.",
    ]);
  });
});

test("OPERATOR_EMAILS without a dashboard, and a detector without its settings, are refused", () => {
  const { AUTH_SECRET: _left, ...others } = GOOD;
  expect(lackingSecrets({ ...others, OPERATOR_EMAILS: "ada@acme.io" })).toEqual([
    "AUTH_SECRET is missing; OPERATOR_EMAILS needs it.",
  ]);
  const huggingFace = { ...GOOD, DETECTOR: "huggingface", HUGGINGFACE_URL: "https://detector.acme.io" };
  expect(lackingSecrets(huggingFace).map((text) => text.split(" ")[0])).toEqual([
    "HUGGINGFACE_TOKEN",
    "HUGGINGFACE_LABELS",
  ]);
});

test("the origins of browsers may be named one by one, or all at once", () => {
  for (const CORS_ORIGINS of ["https://app.acme.io http://localhost:3000", "*"]) {
    expect(wrongSecrets({ ...GOOD, CORS_ORIGINS }, {})).toEqual([]);
  }
});

test("a deployment refuses half a set before anything is done", async () => {
  const account = await AccountOnDisk.make();
  const file = await fileOf(account, {
    GITHUB_CLIENT_ID: "id",
    MAIL_URL: "https://mail.acme.io",
    DETECTOR: "huggingface",
  });
  const { isDone, output } = await account.deploy("production", file);
  expect(isDone).toBe(false);
  expect(output).toContain("GITHUB_CLIENT_SECRET is missing; GITHUB_CLIENT_ID needs it.");
  expect(output).toContain("MAIL_FROM is missing; MAIL_URL needs it.");
  expect(output).toContain("HUGGINGFACE_URL is missing; DETECTOR=huggingface needs it.");
  expect((await account.read()).calls).toEqual([]);
});

test("a dry run accepts a file without PUBLIC_URL, which the first deployment tells, and checks the scripts", async () => {
  const account = await AccountOnDisk.make();
  const { PUBLIC_URL: _left, ...others } = GOOD;
  const file = await fileOf(account, others);
  const { isDone, output } = await account.runCommand("--env=production", `--secrets=${file}`, "--dry-run");
  expect(output).toContain("Warning: PUBLIC_URL is missing");
  expect(output).toContain("veil-production-api: 0.00 MB of 3.30 MB");
  expect(isDone).toBe(true);
});

test("a dry run and a deployment refuse wrong secrets before anything is done, and repeat none", async () => {
  const account = await AccountOnDisk.make();
  const { PUBLIC_URL: _left, ...others } = GOOD;
  const file = await fileOf(account, { ...others, AUTH_SECRET: "a-short-secret", INFERENCE_TOKEN: "hush" });
  for (const options of [["--dry-run"], []]) {
    const { isDone, output } = await account.runCommand("--env=production", `--secrets=${file}`, ...options);
    expect(isDone).toBe(false);
    expect(output).toContain("AUTH_SECRET: The secret has 14 characters; use 32 or more.");
    expect(output).toContain("INFERENCE_TOKEN: The token has 4 characters");
    expect(output).not.toMatch(/a-short-secret|hush/);
    // The first deployment reveals the address to use as PUBLIC_URL.
    expect(output.includes("PUBLIC_URL is missing")).toBe(options.length > 0);
  }
  expect((await account.read()).calls).toEqual([]);
});

test("all errors in a file are reported at once, by line and without a value", async () => {
  const account = await AccountOnDisk.make();
  const file = await fileOf(account, { ...GOOD, INFERENCE_TOKEN: "hush", MAIL_FROM: "" });
  await appendFile(file, "a line that is none\nAUTH_SECRET=another-secret-that-is-long-enough-to-use\n");
  const { isDone, output } = await account.runCommand("--env=production", `--secrets=${file}`, "--dry-run");
  expect(isDone).toBe(false);
  for (const sentence of [
    `Line 6 of ${file} gives MAIL_FROM no value; add it or delete the line.`,
    `Line 7 of ${file} is not in the form NAME=value.`,
    `Lines 4 and 8 of ${file} both set AUTH_SECRET; delete one of them.`,
    "INFERENCE_TOKEN: The token has 4 characters",
  ])
    expect(output).toContain(sentence);
  expect(output).not.toMatch(/hush|another-secret|line that is none/);
});

test("options that npm has read as its own are refused: the two dashes are missing", async () => {
  const run = execute("npm", ["run", "-s", "deploy", "--env", "production", "--dry-run"], { cwd: ROOT });
  await expect(run).rejects.toMatchObject({
    stdout: "",
    stderr: expect.stringMatching(
      /^npm took --env and --dry-run for its own; `--` is missing before the options: npm run deploy -- --env production\n/m,
    ) as string,
  });
});

test(".dev.vars.example holds what `wrangler dev` needs", async () => {
  const variables = parseEnv(await readFile(join(ROOT, ".dev.vars.example"), "utf8")) as Record<
    string,
    string
  >;
  expect(variables).toHaveProperty("WEBHOOK_SECRET_KEYS");
  for (const kind of ["api", "image", "video"] as const) {
    expect([...variableFaults(kind, variables)]).toEqual([]);
  }
});

test("a limit for videos is sent to both Workers that check it, and not to the image Worker", async () => {
  const folder = await mkdtemp(join(tmpdir(), "veil-secrets-"));
  try {
    const files = WORKERS.map(async (worker) => {
      const file = await writeSecretsOf(worker, { MAX_VIDEO_SECONDS: "60" }, folder);
      return [worker.kind, file !== undefined];
    });
    expect(Object.fromEntries(await Promise.all(files))).toEqual({ image: false, video: true, api: true });
  } finally {
    await rm(folder, { recursive: true });
  }
});
