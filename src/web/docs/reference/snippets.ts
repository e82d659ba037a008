/** One request in the shell and with both packages. */
export interface Snippets {
  readonly curl: string;
  readonly TypeScript: string;
  readonly Python: string;
}

const MEDIA_ID = "019a9c4e-6f1a-7c11-8f8e-0d2b5c3c9a10";
const TYPESCRIPT_START = `import { VeilClient } from "@veil/client";

const { VEIL_BASE_URL: baseUrl, VEIL_API_KEY: apiKey } = process.env;
const veil = new VeilClient({ baseUrl, apiKey });
`;
const PYTHON_START = `from veil_redact import Client

with Client() as veil:  # VEIL_BASE_URL and VEIL_API_KEY
`;

/** The code for each operation, by its ID. The shell expects the API's address and a key in the same variables as the packages. */
export const SNIPPETS: Readonly<Record<string, Snippets>> = {
  redactMedia: {
    curl: curl(
      `-H "Idempotency-Key: $(uuidgen)"`,
      `-F file=@street.jpg`,
      `-F "categories[]=heads"`,
      `-F "categories[]=license_plates"`,
      `"$VEIL_BASE_URL/media/redact"`,
    ),
    TypeScript: `${TYPESCRIPT_START.replace(
      `"@veil/client";\n`,
      `"@veil/client";\nimport { openFile } from "@veil/client/node";\n`,
    )}
const media = await veil.upload({
  file: await openFile("street.jpg"),
  categories: ["heads", "license_plates"],
});
const ended = await veil.wait(media.id);
console.log(ended.status);`,
    Python: python(
      `media = veil.upload("street.jpg", categories=["heads", "license_plates"])`,
      `media = veil.wait(media.id)`,
      `print(media.status)`,
    ),
  },
  listMedia: {
    curl: curl(`"$VEIL_BASE_URL/media?status=completed&per_page=100"`),
    TypeScript: typescript(
      `for await (const media of veil.listAll({ status: "completed" })) {`,
      `  console.log(media.id, media.filename);`,
      `}`,
    ),
    Python: python(`for media in veil.list_all(status="completed"):`, `    print(media.id, media.filename)`),
  },
  getMedia: {
    curl: curl(`"$VEIL_BASE_URL/media/${MEDIA_ID}"`),
    TypeScript: typescript(`const media = await veil.get("${MEDIA_ID}");`, `console.log(media.status);`),
    Python: python(`media = veil.get("${MEDIA_ID}")`, `print(media.status)`),
  },
  deleteMedia: {
    curl: curl(`-X DELETE`, `"$VEIL_BASE_URL/media/${MEDIA_ID}"`),
    TypeScript: typescript(`await veil.delete("${MEDIA_ID}");`),
    Python: python(`veil.delete("${MEDIA_ID}")`),
  },
  downloadMedia: {
    curl: curl(`-o redacted.jpg`, `"$VEIL_BASE_URL/media/${MEDIA_ID}/download"`),
    TypeScript: `${TYPESCRIPT_START.replace(
      `"@veil/client";\n`,
      `"@veil/client";\nimport { saveDownload } from "@veil/client/node";\n`,
    )}
await saveDownload(veil, "${MEDIA_ID}", "redacted.jpg");`,
    Python: python(`veil.download("${MEDIA_ID}", "redacted.jpg")`),
  },
  getStatusDetails: {
    curl: curl(`"$VEIL_BASE_URL/media/${MEDIA_ID}/status-details"`),
    TypeScript: typescript(
      `const { progress, failure } = await veil.statusDetails("${MEDIA_ID}");`,
      `console.log(progress, failure?.message);`,
    ),
    Python: python(
      `details = veil.status_details("${MEDIA_ID}")`,
      `print(details.progress, details.failure)`,
    ),
  },
  getDetections: {
    curl: curl(`"$VEIL_BASE_URL/media/${MEDIA_ID}/detections?category=heads"`),
    TypeScript: typescript(
      `const { detections } = await veil.detections("${MEDIA_ID}", { categories: ["heads"] });`,
      `for (const { id, category, redacted } of detections) console.log(id, category, redacted);`,
    ),
    Python: python(
      `for one in veil.detections("${MEDIA_ID}", categories=["heads"]).detections:`,
      `    print(one.id, one.category, one.redacted)`,
    ),
  },
  getVerification: {
    curl: curl(`"$VEIL_BASE_URL/media/${MEDIA_ID}/verification"`),
    TypeScript: typescript(
      `const { status, findings } = await veil.verification("${MEDIA_ID}");`,
      `console.log(status, findings);`,
    ),
    Python: python(
      `verification = veil.verification("${MEDIA_ID}")`,
      `print(verification.status, verification.findings)`,
    ),
  },
  getReport: {
    curl: curl(`-o photo.report.jws`, `"$VEIL_BASE_URL/media/${MEDIA_ID}/report"`),
    TypeScript: typescript(`console.log(await veil.report("${MEDIA_ID}"));`),
    Python: python(`print(veil.report("${MEDIA_ID}").signature)`),
  },
  reviseMedia: {
    curl: curl(
      `-H "Content-Type: application/json"`,
      `-H "Idempotency-Key: $(uuidgen)"`,
      `-d '{"except": ["det_0d2b5c3c9a10_1"]}'`,
      `"$VEIL_BASE_URL/media/${MEDIA_ID}/revisions"`,
    ),
    TypeScript: typescript(
      `const revision = await veil.revise("${MEDIA_ID}", { except: ["det_0d2b5c3c9a10_1"] });`,
      `await veil.wait(revision.id);`,
    ),
    Python: python(
      `revision = veil.revise("${MEDIA_ID}", except_=["det_0d2b5c3c9a10_1"])`,
      `veil.wait(revision.id)`,
    ),
  },
  retryMedia: {
    curl: curl(`-X POST -H "Idempotency-Key: $(uuidgen)"`, `"$VEIL_BASE_URL/media/${MEDIA_ID}/retry"`),
    TypeScript: typescript(`const retry = await veil.retry("${MEDIA_ID}");`, `await veil.wait(retry.id);`),
    Python: python(`retry = veil.retry("${MEDIA_ID}")`, `veil.wait(retry.id)`),
  },
  createUpload: {
    curl: curl(
      `-X POST -H "Tus-Resumable: 1.0.0"`,
      `-H "Upload-Length: $(stat -c %s drive.mp4)"`,
      `-H "Upload-Metadata: filename $(printf drive.mp4 | base64)"`,
      `"$VEIL_BASE_URL/uploads"`,
    ),
    TypeScript: `${TYPESCRIPT_START.replace(`import {`, `import { openAsBlob } from "node:fs";\nimport {`)}
const file = await openAsBlob("drive.mp4");
const upload = await veil.createUpload({ sizeBytes: file.size, filename: "drive.mp4" });
await veil.sendUpload(upload.upload_url, file);
await veil.upload({ uploadId: upload.upload_id, categories: ["heads"] });`,
    Python: python(
      `size_bytes = os.path.getsize("drive.mp4")`,
      `upload = veil.create_upload(size_bytes=size_bytes, filename="drive.mp4")`,
      `veil.send_upload(upload.upload_url, "drive.mp4")`,
      `veil.upload(upload_id=upload.upload_id, categories=["heads"])`,
    ).replace("from veil", "import os\n\nfrom veil"),
  },
  sendUploadBytes: {
    curl: curlWithoutKey(
      `-X PATCH -H "Tus-Resumable: 1.0.0"`,
      `-H "Content-Type: application/offset+octet-stream"`,
      `-H "Upload-Offset: 0"`,
      `--data-binary @drive.mp4`,
      `"$UPLOAD_URL"`,
    ),
    TypeScript: `${TYPESCRIPT_START.replace(`import {`, `import { openAsBlob } from "node:fs";\nimport {`)}
await veil.sendUpload(uploadUrl, await openAsBlob("drive.mp4"));`,
    Python: python(`veil.send_upload(upload_url, "drive.mp4")`),
  },
  getUploadOffset: {
    curl: curlWithoutKey(`-I -H "Tus-Resumable: 1.0.0"`, `"$UPLOAD_URL"`),
    TypeScript: typescript(`console.log(await veil.uploadOffset(uploadUrl));`),
    Python: python(`print(veil.upload_offset(upload_url))`),
  },
  deleteUpload: {
    curl: curlWithoutKey(`-X DELETE -H "Tus-Resumable: 1.0.0"`, `"$UPLOAD_URL"`),
    TypeScript: typescript(`await veil.deleteUpload(uploadUrl);`),
    Python: python(`veil.delete_upload(upload_url)`),
  },
  listDeletions: {
    curl: curl(`"$VEIL_BASE_URL/deletions?media_id=${MEDIA_ID}"`),
    TypeScript: typescript(
      `const { data } = await veil.deletions({ media_id: "${MEDIA_ID}" });`,
      `for (const one of data) console.log(one.deleted_at, one.objects_left, one.rows_left);`,
    ),
    Python: python(
      `proof = veil.deletions(media_ids=["${MEDIA_ID}"])`,
      `for one in proof.data:`,
      `    print(one.deleted_at, one.objects_left, one.rows_left)`,
    ),
  },
  getUsage: {
    curl: curl(`"$VEIL_BASE_URL/usage"`),
    TypeScript: typescript(`const { plan, images } = await veil.usage();`, `console.log(plan, images.used);`),
    Python: python(`usage = veil.usage()`, `print(usage.plan, usage.images.used)`),
  },
};

function curl(...options: readonly string[]): string {
  return ['curl -H "Authorization: Bearer $VEIL_API_KEY"', ...options].join(" \\\n  ");
}

/** The address of an upload is its secret. */
function curlWithoutKey(...options: readonly string[]): string {
  return ["curl", ...options].join(" \\\n  ");
}

function typescript(...lines: readonly string[]): string {
  return [TYPESCRIPT_START, ...lines].join("\n");
}

function python(...lines: readonly string[]): string {
  return PYTHON_START + lines.map((line) => `    ${line}`).join("\n");
}
