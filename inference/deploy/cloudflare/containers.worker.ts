import { Container, getRandom } from "@cloudflare/containers";

interface Bindings {
  readonly INFERENCE: DurableObjectNamespace<InferenceContainer>;
  readonly INFERENCE_TOKEN: string;
  /** How many containers share the requests; not more than `max_instances` of the configuration. */
  readonly INSTANCES: number;
}

/** The inference service on processors, in a container that sleeps while nobody asks. */
export class InferenceContainer extends Container<Bindings> {
  override defaultPort = 8080;
  override sleepAfter = "10m";
  override enableInternet = false;
  // A run of the video engine exceeds the size of request that a Worker accepts.
  override envVars = { INFERENCE_TOKEN: this.env.INFERENCE_TOKEN, PROVIDER: "cpu", FFMPEG: "none" };
}

const encoder = new TextEncoder();

async function sha256(text: string): Promise<ArrayBuffer> {
  return await crypto.subtle.digest("SHA-256", encoder.encode(text));
}

/** Whether a request carries the token. Containers are woken for nobody else. */
async function isAllowed(request: Request, token: string): Promise<boolean> {
  const [given, wanted] = await Promise.all([
    sha256(request.headers.get("Authorization") ?? ""),
    sha256(`Bearer ${token}`),
  ]);
  return crypto.subtle.timingSafeEqual(given, wanted);
}

export default {
  async fetch(request, { INFERENCE, INFERENCE_TOKEN, INSTANCES }): Promise<Response> {
    if (!(await isAllowed(request, INFERENCE_TOKEN))) return new Response(null, { status: 401 });
    const container = await getRandom(INFERENCE, INSTANCES);
    return await container.fetch(request);
  },
} satisfies ExportedHandler<Bindings>;
