import { createHash, createHmac, generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  fetchReportKeys,
  verifyReport,
  VeilClient,
  VeilReportError,
  type ReportKeys,
} from "../../packages/client/src/index.ts";
import { runVeil } from "./support/run-command.ts";
import { ScriptedService, answers, mediaItem, type Handler } from "./support/scripted-service.ts";

const OUTPUT = Buffer.from("the redacted picture");
const SOURCE = Buffer.from("the original picture");
const MEDIA = {
  id: mediaItem().id,
  filename: "street.jpg",
  output_sha256: sha256Of(OUTPUT),
  source_sha256: sha256Of(SOURCE),
};
const PAYLOAD = {
  report_version: 1,
  issued_at: "2026-11-27T03:00:00.000Z",
  media: MEDIA,
  masks: [{ id: "é" }],
};

interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly jwk: { readonly kty: "OKP"; readonly crv: "Ed25519"; readonly kid: string; readonly x: string };
}

function newKey(kid: string): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const { x = "" } = publicKey.export({ format: "jwk" });
  return { kid, privateKey, jwk: { kty: "OKP", crv: "Ed25519", kid, x } };
}

const key = newKey("current");
const oldKey = newKey("replaced");
const keys: ReportKeys = { keys: [key.jwk, oldKey.jwk] };

function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function signed({ by = key, header = {}, payload = PAYLOAD } = {}): string {
  const head = encoded({ alg: "EdDSA", kid: by.kid, typ: "veil-report+jws", ...header });
  const text = `${head}.${encoded(payload)}`;
  return `${text}.${sign(null, Buffer.from(text), by.privateKey).toString("base64url")}`;
}

async function reasonFor(report: string | Uint8Array, known: ReportKeys = keys): Promise<string> {
  const error: unknown = await verifyReport(report, known).catch((fault: unknown) => fault);
  expect(error).toBeInstanceOf(VeilReportError);
  return (error as Error).message;
}

describe("a report", () => {
  test("is verified in both of its forms, with the key that it names", async () => {
    const jws = signed();
    const expected = { report: PAYLOAD, keyId: "current" };
    expect(await verifyReport(jws, keys)).toEqual(expected);
    expect(await verifyReport(Buffer.from(`${jws}\n`), keys)).toEqual(expected);
    const json = JSON.stringify({ payload: PAYLOAD, signature: jws }, null, 2);
    expect(await verifyReport(json, keys)).toEqual(expected);
    expect(await verifyReport(signed({ by: oldKey }), keys)).toEqual({ report: PAYLOAD, keyId: "replaced" });
  });

  test.for(["compact", "JSON"])("as %s with any byte changed is refused", async (form) => {
    const jws = signed();
    const report = Buffer.from(form === "JSON" ? JSON.stringify({ payload: PAYLOAD, signature: jws }) : jws);
    const accepted: number[] = [];
    for (let at = 0; at < report.length; at++) {
      for (const change of [0x01, 0x20, 0x80]) {
        const changed = Buffer.from(report);
        changed[at] = (changed[at] ?? 0) ^ change;
        const isAccepted = await verifyReport(changed, keys).then(
          () => true,
          () => false,
        );
        if (isAccepted) accepted.push(at);
      }
    }
    expect(accepted).toEqual([]);
  });

  test("with any byte missing or added is refused", async () => {
    const jws = signed();
    for (let at = 0; at < jws.length; at++) {
      await reasonFor(jws.slice(0, at) + jws.slice(at + 1));
      await reasonFor(`${jws.slice(0, at)}A${jws.slice(at)}`);
    }
  });

  test.for([
    [
      "no algorithm",
      `${encoded({ alg: "none", kid: "current", typ: "veil-report+jws" })}.${encoded(PAYLOAD)}.`,
      "compact form",
    ],
    ["no algorithm and some signature", signed({ header: { alg: "none" } }), '"none"; only EdDSA'],
    ["another algorithm", signed({ header: { alg: "ES256" } }), '"ES256"; only EdDSA'],
    ["another key's ID", signed({ header: { kid: "replaced" } }), "does not match"],
    ["a key that is not listed", signed({ header: { kid: "mine" } }), '"mine", which is not among the keys'],
    ["a key of its own", signed({ by: newKey("current") }), "does not match"],
    ["a key in its header", signed({ header: { jwk: key.jwk } }), "The header has jwk"],
    [
      "an address of keys",
      signed({ header: { jku: "https://evil.example.com/jwks.json" } }),
      "The header has jku",
    ],
    ["a certificate", signed({ header: { x5c: [] } }), "The header has x5c"],
    [
      "an extension to understand",
      signed({ header: { crit: ["b64"], b64: false } }),
      "The header has crit, b64",
    ],
    ["another type", signed({ header: { typ: "JWT" } }), 'the type "JWT"'],
    ["a later version", signed({ payload: { ...PAYLOAD, report_version: 2 } }), "has version 2"],
    ["no text", "", "compact form"],
    ["four parts", `${signed()}.AA`, "compact form"],
  ] as const)("with %s is refused", async ([, report, reason]) => {
    expect(await reasonFor(report)).toContain(reason);
  });

  test("signed with the public key as an HMAC secret is refused", async () => {
    const text = `${encoded({ alg: "HS256", kid: "current", typ: "veil-report+jws" })}.${encoded(PAYLOAD)}`;
    for (const secret of [key.jwk.x, Buffer.from(key.jwk.x, "base64url"), JSON.stringify(key.jwk)]) {
      const signature = createHmac("sha256", secret).update(text).digest("base64url");
      expect(await reasonFor(`${text}.${signature}`)).toContain('"HS256"; only EdDSA');
    }
  });

  test("beside another payload is refused, and so is anything more in its JSON", async () => {
    const other = { ...PAYLOAD, masks: [] };
    expect(await reasonFor(JSON.stringify({ payload: other, signature: signed() }))).toContain(
      "not the signed one",
    );
    expect(await reasonFor(JSON.stringify({ payload: PAYLOAD, signature: signed(), note: 1 }))).toContain(
      "exactly `payload` and `signature`",
    );
  });

  test("is refused where its key is of another kind", async () => {
    const listed = { keys: [{ kty: "EC", crv: "P-256", kid: "current", x: key.jwk.x }] };
    expect(await reasonFor(signed(), listed)).toContain("not an Ed25519 key");
  });
});

describe("veil verify", () => {
  let directory: string;
  let service: ScriptedService;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "veil-verify-"));
    service = new ScriptedService();
    await service.start();
    await writeFile(join(directory, "report.jws"), signed());
    await writeFile(join(directory, "out.jpg"), OUTPUT);
    await writeFile(join(directory, "in.jpg"), SOURCE);
    await writeFile(join(directory, "jwks.json"), JSON.stringify(keys));
  });

  afterEach(async () => {
    service.stop();
    await rm(directory, { recursive: true, force: true });
  });

  async function verify(...args: string[]): ReturnType<typeof runVeil> {
    return await runVeil({ directory, service }, "verify", ...args);
  }

  test("says in one sentence what a report proves, without a connection", async () => {
    expect(await verify("report.jws", "out.jpg", "--jwks", "jwks.json")).toEqual({
      code: 0,
      stdout: `Proven: out.jpg is, byte by byte, the redacted file of media ${MEDIA.id}, and its report of 2026-11-27T03:00:00.000Z is unchanged since the key current of jwks.json signed it.\n`,
      stderr: "",
    });
    const ofSource = await verify("report.jws", "in.jpg", "--jwks", "jwks.json", "--json");
    expect(JSON.parse(ofSource.stdout)).toMatchObject({ valid: true, file: "source", key_id: "current" });
    expect(service.requests).toEqual([]);
  });

  test("notices a changed byte of the file, and a report that is forged", async () => {
    const changed = Buffer.from(OUTPUT);
    changed[7] = (changed[7] ?? 0) ^ 1;
    await writeFile(join(directory, "out.jpg"), changed);
    const other = await verify("report.jws", "out.jpg", "--jwks", "jwks.json");
    expect([other.code, other.stdout]).toEqual([1, ""]);
    expect(other.stderr).toContain("Not proven: The report is genuine, but the file is neither");
    await writeFile(join(directory, "report.jws"), signed({ header: { alg: "none" } }));
    const forged = await verify("report.jws", "out.jpg", "--jwks", "jwks.json", "--json");
    expect(forged.code).toBe(1);
    expect(JSON.parse(forged.stdout)).toEqual({
      valid: false,
      sentence: 'Not proven: The header has the algorithm "none"; only EdDSA is accepted.',
    });
  });

  test("fetches the keys from the service, without the API key", async () => {
    service.script.push(answers(200, keys));
    const { code, stdout } = await verify("report.jws", "out.jpg");
    expect(code).toBe(0);
    expect(stdout).toContain(`of ${new URL(service.baseUrl).host} signed it`);
    expect(service.requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ["/.well-known/jwks.json", undefined],
    ]);
    service.script.push(answers(404, {}));
    const none = await verify("report.jws", "out.jpg");
    expect([none.code, none.stderr]).toEqual([3, expect.stringContaining("The public keys cannot be had")]);
  });

  test.for([
    [["report.jws"], "given 1 files; expected a report and a file"],
    [["report.jws", "out.jpg", "--jwks", "out.jpg"], "out.jpg is no list of public keys"],
    [["report.jws", "gone.jpg", "--jwks", "jwks.json"], "gone.jpg cannot be read"],
    [["report.jws", "out.jpg", "--key", "x"], "--key is not an option of veil verify"],
  ] as const)("%j is a wrong command", async ([args, sentence]) => {
    const { code, stderr } = await verify(...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
  });

  test("the client gets a report and keys of the service", async () => {
    const jws = signed();
    const send: Handler = (_request, response) => void response.end(jws);
    service.script.push(send, send, answers(200, keys), answers(200, { keys: [1] }));
    const client = new VeilClient({ baseUrl: service.baseUrl, apiKey: "veil_k" });
    const report = await client.report(MEDIA.id);
    await client.report(MEDIA.id, { format: "csv" });
    expect(service.requests.map(({ url }) => url)).toEqual([
      `/api/v1/media/${MEDIA.id}/report`,
      `/api/v1/media/${MEDIA.id}/report?format=csv`,
    ]);
    expect((await verifyReport(report, await fetchReportKeys(service.baseUrl))).keyId).toBe("current");
    await expect(fetchReportKeys(service.baseUrl)).rejects.toThrow("no list of public keys");
  });
});
