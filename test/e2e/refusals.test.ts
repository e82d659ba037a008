import { once } from "node:events";
import { connect } from "node:net";
import { expect, inject, test } from "vitest";
import { call } from "./client.ts";

/** Far below the timeout of a stalled body. */
const AT_ONCE_MS = 20_000;

test(
  "a client that announces too much and then says nothing is answered at once",
  { timeout: AT_ONCE_MS },
  async () => {
    const { baseUrl, apiKey } = inject("service");
    const { hostname, port, pathname } = new URL(`${baseUrl}/media/redact`);
    const socket = connect(Number(port), hostname);
    const head = [
      `POST ${pathname} HTTP/1.1`,
      `Host: ${hostname}`,
      `Authorization: Bearer ${apiKey}`,
      "Content-Type: multipart/form-data; boundary=b",
      "Content-Length: 500000000",
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n`);
    const [answer] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    expect(answer.toString()).toMatch(/^HTTP\/1.1 422 /);
  },
);

test("a client that sends more than is accepted reads why", async () => {
  const form = new FormData();
  form.append("file", new Blob([new Uint8Array(110_000_000)]), "large.jpg");
  form.append("categories[]", "heads");
  const response = await call("/media/redact", { method: "POST", body: form });
  expect(response.status).toBe(422);
  expect(await response.text()).toContain("The file is larger than the limit of 100 MB.");
});
