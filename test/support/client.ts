import { exports } from "cloudflare:workers";
import { VeilClient } from "../../packages/client/src/index.ts";
import { BASE } from "./api.ts";

/** A client of the Worker under test. `onAnswer` receives each answer before the client does. */
export function clientOf(apiKey: string, onAnswer: (answer: Response) => void = () => undefined): VeilClient {
  return new VeilClient({
    baseUrl: BASE,
    apiKey,
    allowHttp: true,
    fetch: async (url, init) => {
      const answer = await exports.default.fetch(new Request(url, init));
      onAnswer(answer);
      return answer;
    },
  });
}
