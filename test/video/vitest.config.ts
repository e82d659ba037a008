import { answerWithFormats } from "../node-support/formats-service.ts";
import { answerAsEngineService } from "../node-support/engine-service-double.ts";
import { workersProject } from "../node-support/workers-project.ts";

export default workersProject({
  name: "video",
  configFile: "wrangler.video.toml",
  hasSpareDatabase: true,
  sharesRuntimes: true,
  outboundService: async (request) =>
    new URL(request.url).hostname === "media.test"
      ? await answerAsEngineService(request as never)
      : await answerWithFormats(request),
  test: { globalSetup: ["./clips.ts", "./installed.ts"] },
});
