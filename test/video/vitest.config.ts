import { answerWithFormats } from "../node-support/formats-service.ts";
import { answerAsMediaService } from "../node-support/media-service-double.ts";
import { workersProject } from "../node-support/workers-project.ts";

export default workersProject({
  name: "video",
  configFile: "wrangler.video.toml",
  sharesRuntimes: true,
  outboundService: async (request) =>
    new URL(request.url).hostname === "media.test"
      ? await answerAsMediaService(request as never)
      : await answerWithFormats(request),
  test: { globalSetup: ["./clips.ts", "./installed.ts"], testTimeout: 120_000 },
});
