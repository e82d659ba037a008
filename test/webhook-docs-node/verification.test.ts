import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROOT } from "../../scripts/lib/wrangler.ts";
import { newSigningSecret, signatureHeader } from "../../src/work/webhooks/secrets.ts";
import { NO_PYTHON, findPython, runPython } from "../node-support/python.ts";

const run = promisify(execFile);
const BODY = JSON.stringify({ id: "evt_1", media: { filename: "Straße 7 – “naïve” 🙂.jpg" } });
const secret = newSigningSecret();
const otherSecret = newSigningSecret();

interface Case {
  readonly name: string;
  readonly body: string;
  readonly header: string;
  readonly isValid: boolean;
}

let directory: string;
let blocks: { language: string; code: string }[];
let cases: Case[];

async function headerFor(secrets: readonly string[], body: string): Promise<string> {
  return await signatureHeader(secrets, new TextEncoder().encode(body));
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "veil-webhook-docs-"));
  const page = await readFile(join(ROOT, "docs/webhooks.md"), "utf8");
  blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = "", code = ""]) => ({
    language,
    code,
  }));
  const [good, other] = [await headerFor([secret], BODY), await headerFor([otherSecret], BODY)];
  cases = [
    { name: "signed", body: BODY, header: good, isValid: true },
    { name: "new secret first", body: BODY, header: `${good},${other}`, isValid: true },
    { name: "old secret second", body: BODY, header: `${other},${good}`, isValid: true },
    { name: "a space after the comma", body: BODY, header: `${other}, ${good}`, isValid: true },
    { name: "another secret", body: BODY, header: other, isValid: false },
    { name: "another body", body: `${BODY} `, header: good, isValid: false },
    { name: "no body", body: "", header: good, isValid: false },
    { name: "no header", body: BODY, header: "", isValid: false },
    { name: "no scheme", body: BODY, header: good.slice("sha256=".length), isValid: false },
    { name: "another scheme", body: BODY, header: good.replace("sha256", "sha1"), isValid: false },
    { name: "cut short", body: BODY, header: good.slice(0, -1), isValid: false },
    { name: "longer", body: BODY, header: `${good}0`, isValid: false },
    { name: "commas alone", body: BODY, header: ",,", isValid: false },
    { name: "beyond ASCII", body: BODY, header: `${good.slice(0, -1)}é`, isValid: false },
  ];
  await writeFile(join(directory, "cases.json"), JSON.stringify({ secret, cases }));
});

afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

function codeIn(language: string, part: string): string {
  const found = blocks.find((block) => block.language === language && block.code.includes(part));
  if (found === undefined) throw new Error(`The page has no ${language} with ${part}.`);
  return found.code;
}

async function hasTool(name: string, ...args: string[]): Promise<boolean> {
  return await run(name, args).then(
    () => true,
    () => false,
  );
}

/** Runs a program that prints a JSON array of verdicts, and compares them. */
async function expectVerdicts(program: string, args: readonly string[]): Promise<void> {
  const { stdout } = await run(program, args, { cwd: directory });
  expectVerdictsIn(stdout);
}

function expectVerdictsIn(output: string): void {
  const verdicts = JSON.parse(output) as boolean[];
  const found = cases.map(({ name }, index) => [name, verdicts[index]]);
  expect(found).toEqual(cases.map(({ name, isValid }) => [name, isValid]));
}

describe("the code of docs/webhooks.md accepts signed bodies and no others", () => {
  test("TypeScript", async () => {
    await writeFile(join(directory, "verify.ts"), codeIn("ts", "verifyWebhook"));
    await writeFile(
      join(directory, "main.ts"),
      `import { readFileSync } from "node:fs";
       import { verifyWebhook } from "./verify.ts";
       const { secret, cases } = JSON.parse(readFileSync("cases.json", "utf8"));
       console.log(JSON.stringify(cases.map((c) => verifyWebhook(new TextEncoder().encode(c.body), c.header, secret))));`,
    );
    await writeFile(join(directory, "package.json"), '{ "type": "module" }');
    await expectVerdicts(process.execPath, ["main.ts"]);
  });

  test("Python", async ({ skip }) => {
    if (!(await hasTool("python3", "--version"))) skip("python3 is not installed.");
    await writeFile(join(directory, "verify.py"), codeIn("python", "verify_webhook"));
    await writeFile(
      join(directory, "main.py"),
      [
        "import json",
        "from verify import verify_webhook",
        "given = json.load(open('cases.json', encoding='utf-8'))",
        "print(json.dumps([verify_webhook(c['body'].encode(), c['header'], given['secret']) for c in given['cases']]))",
      ].join("\n"),
    );
    await expectVerdicts("python3", ["main.py"]);
  });

  test("the Python package", async ({ skip }) => {
    const python = await findPython();
    if (python === undefined) return skip(NO_PYTHON);
    const file = join(directory, "package.py");
    await writeFile(
      file,
      [
        "import json, os",
        "from veil_redact import SignatureError, UnexpectedAnswerError, verify_webhook",
        "given = json.load(open(os.path.join(os.path.dirname(__file__), 'cases.json'), encoding='utf-8'))",
        "def is_signed(case):",
        "    try:",
        "        verify_webhook(case['body'], case['header'], given['secret'])",
        "    except UnexpectedAnswerError:",
        "        return True  # signed; the body of these cases is no whole event",
        "    except SignatureError:",
        "        return False",
        "print(json.dumps([is_signed(case) for case in given['cases']]))",
      ].join("\n"),
    );
    expectVerdictsIn(await runPython(python, [file]));
  });

  test("Go", async ({ skip }) => {
    if (!(await hasTool("go", "version"))) skip("go is not installed.");
    await writeFile(join(directory, "go.mod"), "module webhook\n\ngo 1.20\n");
    await writeFile(
      join(directory, "verify.go"),
      codeIn("go", "VerifyWebhook").replace("package webhook", "package main"),
    );
    await writeFile(
      join(directory, "main.go"),
      `package main
       import ("encoding/json"; "os")
       func main() {
         var given struct { Secret string; Cases []struct { Body, Header string } }
         text, _ := os.ReadFile("cases.json")
         if err := json.Unmarshal(text, &given); err != nil { panic(err) }
         verdicts := []bool{}
         for _, c := range given.Cases { verdicts = append(verdicts, VerifyWebhook([]byte(c.Body), c.Header, given.Secret)) }
         json.NewEncoder(os.Stdout).Encode(verdicts)
       }`,
    );
    await expectVerdicts("go", ["run", "."]);
  });
});

describe("the lines of docs/webhooks.md print the signature", () => {
  test.for([
    ["openssl", "openssl dgst"],
    ["node", "node -e"],
  ] as const)("%s", async ([tool, part], { skip }) => {
    if (!(await hasTool(tool, tool === "node" ? "--version" : "version"))) skip(`${tool} is not installed.`);
    await writeFile(join(directory, "body.json"), BODY);
    const { stdout } = await run("sh", ["-c", codeIn("sh", part)], {
      cwd: directory,
      env: { ...process.env, SECRET: secret },
    });
    expect(`sha256=${stdout.trim()}`).toBe(await headerFor([secret], BODY));
  });
});
