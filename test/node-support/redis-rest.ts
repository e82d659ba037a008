import { createHash } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { RedisConnection, type RedisReply } from "./redis-connection.ts";

interface RestAnswer {
  readonly result?: unknown;
  readonly error?: string;
}

/**
 * Upstash's REST protocol in front of a Redis server: `POST /` runs one command, `POST /pipeline` a list of commands. Strings in the
 * answer are base64 if the client requests that.
 */
export function restBridge(options: { socketPath: string; token: string }): RequestListener {
  const redis = new ScriptedRedis(options.socketPath);
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      send(response, ...(await answer(request, redis, options.token)));
    } catch (error) {
      send(response, 500, { error: String(error) });
    }
  };
  return (request, response) => {
    void handle(request, response);
  };
}

/**
 * A server for scripts that were written for Upstash. Redis does not know their flag `allow-key-locking`, and a script without it has
 * another hash.
 */
class ScriptedRedis {
  readonly #connection: RedisConnection;
  readonly #hashes = new Map<string, string>();

  constructor(socketPath: string) {
    this.#connection = new RedisConnection(socketPath);
  }

  async send(command: readonly unknown[]): Promise<RedisReply> {
    const [name, script, ...rest] = command.map(String);
    if (script === undefined) return await this.#connection.send(command);
    if (name?.toLowerCase() === "evalsha") {
      return await this.#connection.send(["evalsha", this.#hashes.get(script) ?? script, ...rest]);
    }
    if (name?.toLowerCase() !== "eval") return await this.#connection.send(command);
    const plain = script.replace(/^#!lua flags=allow-key-locking$/m, "#!lua");
    const reply = await this.#connection.send(["eval", plain, ...rest]);
    this.#hashes.set(sha1(script), sha1(plain));
    return reply;
  }
}

function sha1(script: string): string {
  return createHash("sha1").update(script).digest("hex");
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

async function answer(
  request: IncomingMessage,
  redis: ScriptedRedis,
  token: string,
): Promise<[number, RestAnswer | RestAnswer[]]> {
  if (request.headers.authorization !== `Bearer ${token}`) return [401, { error: "Unauthorized" }];
  const isBase64 = request.headers["upstash-encoding"] === "base64";
  const body = JSON.parse(await text(request)) as unknown;
  if (request.url === "/pipeline") {
    const replies = await Promise.all(
      (body as unknown[][]).map(async (command) => await redis.send(command)),
    );
    return [200, replies.map((reply) => restAnswer(reply, isBase64))];
  }
  const single = restAnswer(await redis.send(body as unknown[]), isBase64);
  return [single.error === undefined ? 200 : 400, single];
}

function restAnswer(reply: RedisReply, isBase64: boolean): RestAnswer {
  return reply instanceof Error ? { error: reply.message } : { result: encode(reply, isBase64) };
}

function encode(reply: RedisReply, isBase64: boolean): unknown {
  if (Array.isArray(reply)) return reply.map((item) => encode(item, isBase64));
  if (typeof reply === "string" && isBase64) return Buffer.from(reply).toString("base64");
  return reply instanceof Error ? reply.message : reply;
}
