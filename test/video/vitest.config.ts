import { answerWithFormats } from "../node-support/formats-service.ts";
import { workersProject } from "../node-support/workers-project.ts";

export default workersProject({
  name: "video",
  configFile: "wrangler.video.json",
  sharesRuntimes: true,
  outboundService: answerWithFormats,
  test: { globalSetup: ["./clips.ts"], testTimeout: 120_000 },
});
