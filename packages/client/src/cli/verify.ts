import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { VeilError, VeilReportError } from "../errors.ts";
import { fetchReportKeys, reportKeysOf } from "../report-keys.ts";
import { verifyReport, type ReportKeys, type VerifiedReport } from "../report-verification.ts";
import { CONNECTION_OPTIONS, connectionOf, parseWith, type Connection } from "./arguments.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { UsageError, given } from "./option-values.ts";
import { printable } from "./printable.ts";
import { findService } from "./service.ts";

/** A report and the file that it may be about. */
export interface VerifyOrder extends Connection {
  readonly reportPath: string;
  readonly filePath: string;
  /** A file with the public keys. Undefined to fetch them. */
  readonly jwksPath: string | undefined;
}

export const VERIFY_OPTIONS = {
  jwks: { type: "string" },
  ...CONNECTION_OPTIONS,
} as const;

/** Parses the arguments of `veil verify`; undefined if they ask for help. @throws UsageError */
export function parseVerify(args: readonly string[], env: NodeJS.ProcessEnv): VerifyOrder | undefined {
  const { values, positionals } = parseWith("verify", VERIFY_OPTIONS, args);
  if (values.help) return undefined;
  const [reportPath, filePath, ...more] = positionals;
  if (reportPath === undefined || filePath === undefined || more.length > 0)
    throw new UsageError(`veil verify is given ${positionals.length} files; expected a report and a file.`);
  return { ...connectionOf(values, env), reportPath, filePath, jwksPath: given(values.jwks) };
}

/** Says in one sentence whether a report is genuine and about a file. */
export async function verify(order: VerifyOrder): Promise<ExitCode> {
  const signed = await readInput(order.reportPath, async () => await readFile(order.reportPath));
  const sha256 = await readInput(order.filePath, async () => await hashOf(order.filePath));
  let keys: { readonly source: string; readonly list: ReportKeys };
  try {
    keys = await keysFor(order);
  } catch (error) {
    if (!(error instanceof VeilError)) throw error;
    process.stderr.write(`${printable(`The public keys cannot be had: ${error.message}`)}\n`);
    return EXIT.stopped;
  }
  try {
    const verified = await verifyReport(signed, keys.list);
    const file = roleOf(verified, sha256);
    const sentence = sentenceOf(verified, { ...order, file, keySource: keys.source });
    return end(order, EXIT.allRedacted, {
      valid: true,
      file,
      media_id: verified.report.media.id,
      issued_at: verified.report.issued_at,
      key_id: verified.keyId,
      sentence,
    });
  } catch (error) {
    if (!(error instanceof VeilReportError)) throw error;
    return end(order, EXIT.someFailed, { valid: false, sentence: `Not proven: ${error.message}` });
  }
}

type Role = "output" | "source";

/** Which of the report's files a file is. @throws VeilReportError if it is neither */
function roleOf({ report: { media } }: VerifiedReport, sha256: string): Role {
  if (media.output_sha256 === sha256) return "output";
  if (media.source_sha256 === sha256) return "source";
  throw new VeilReportError(
    `The report is genuine, but the file is neither the redacted file nor the original that it is about; its SHA-256 is ${sha256}.`,
  );
}

function sentenceOf(
  { report, keyId }: VerifiedReport,
  { filePath, file, keySource }: { filePath: string; file: Role; keySource: string },
): string {
  const role = file === "output" ? "the redacted file" : "the original, not the redacted file,";
  return `Proven: ${filePath} is, byte by byte, ${role} of media ${report.media.id}, and its report of ${report.issued_at} is unchanged since the key ${keyId} of ${keySource} signed it.`;
}

function end(
  { isJson }: VerifyOrder,
  code: ExitCode,
  outcome: { readonly valid: boolean; readonly sentence: string } & Readonly<Record<string, unknown>>,
): ExitCode {
  const line = isJson ? JSON.stringify(outcome) : printable(outcome.sentence);
  (isJson || outcome.valid ? process.stdout : process.stderr).write(`${line}\n`);
  return code;
}

async function keysFor(order: VerifyOrder): Promise<{ source: string; list: ReportKeys }> {
  const { jwksPath, allowHttp } = order;
  if (jwksPath !== undefined) {
    const text = await readInput(jwksPath, async () => await readFile(jwksPath, "utf8"));
    try {
      return { source: jwksPath, list: reportKeysOf(JSON.parse(text)) };
    } catch {
      throw new UsageError(
        `${jwksPath} is no list of public keys; expected the JSON of /.well-known/jwks.json.`,
      );
    }
  }
  const baseUrl = order.baseUrl ?? (await findService(order, process.cwd())).baseUrl;
  return { source: new URL(baseUrl).host, list: await fetchReportKeys(baseUrl, { allowHttp }) };
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

/** @throws UsageError if a file cannot be read */
async function readInput<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
