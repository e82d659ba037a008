import { expect, it } from "vitest";
import { createLog, errorFields } from "../src/platform/log.ts";

it("events have the field names of the Workers' log", () => {
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => void lines.push(line) });
  log.info({ event: "detections", requestId: "req_1", durationMs: 12 });
  log.fatal({ event: "start_failed", ...errorFields(new TypeError("No model.")) });
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string;
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { level: "info", time, event: "detections", requestId: "req_1", durationMs: 12 },
    {
      level: "error",
      time,
      event: "start_failed",
      error: "TypeError",
      faultMessage: "No model.",
      stack: expect.any(String) as string,
    },
  ]);
});
