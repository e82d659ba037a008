import { connect, type Socket } from "node:net";

export type RedisReply = string | number | null | Error | RedisReply[];

/** One connection to a Redis server in its own protocol (RESP2); replies come in the order of the commands. */
export class RedisConnection {
  readonly #socket: Socket;
  readonly #waiting: ((reply: RedisReply) => void)[] = [];
  #received = Buffer.alloc(0);

  constructor(socketPath: string) {
    this.#socket = connect(socketPath);
    this.#socket.unref();
    this.#socket.on("data", (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#deliver();
    });
    this.#socket.on("error", (error) => {
      for (const resolve of this.#waiting.splice(0)) resolve(error);
    });
  }

  /** Sends one command; an error of the server is returned, not thrown. */
  async send(command: readonly unknown[]): Promise<RedisReply> {
    const words = command.map((word) => Buffer.from(String(word)));
    const parts = words.flatMap((word) => [Buffer.from(`$${word.length}\r\n`), word, Buffer.from("\r\n")]);
    const { promise, resolve } = Promise.withResolvers<RedisReply>();
    this.#waiting.push(resolve);
    this.#socket.write(Buffer.concat([Buffer.from(`*${words.length}\r\n`), ...parts]));
    return await promise;
  }

  #deliver(): void {
    for (;;) {
      const parsed = parse(this.#received, 0);
      if (parsed === undefined) return;
      this.#received = this.#received.subarray(parsed.end);
      this.#waiting.shift()?.(parsed.reply);
    }
  }
}

interface Parsed {
  readonly reply: RedisReply;
  readonly end: number;
}

function parse(bytes: Buffer, at: number): Parsed | undefined {
  const lineEnd = bytes.indexOf("\r\n", at);
  if (lineEnd < 0) return undefined;
  const line = bytes.toString("utf8", at + 1, lineEnd);
  const next = lineEnd + 2;
  switch (String.fromCharCode(bytes[at] ?? 0)) {
    case "+":
      return { reply: line, end: next };
    case "-":
      return { reply: new Error(line), end: next };
    case ":":
      return { reply: Number(line), end: next };
    case "$":
      return parseBulk(bytes, next, Number(line));
    case "*":
      return parseArray(bytes, next, Number(line));
    default:
      throw new Error("The server does not speak the Redis protocol.");
  }
}

function parseBulk(bytes: Buffer, at: number, length: number): Parsed | undefined {
  if (length < 0) return { reply: null, end: at };
  if (bytes.length < at + length + 2) return undefined;
  return { reply: bytes.toString("utf8", at, at + length), end: at + length + 2 };
}

function parseArray(bytes: Buffer, at: number, length: number): Parsed | undefined {
  if (length < 0) return { reply: null, end: at };
  const replies: RedisReply[] = [];
  let end = at;
  for (let index = 0; index < length; index++) {
    const item = parse(bytes, end);
    if (item === undefined) return undefined;
    replies.push(item.reply);
    end = item.end;
  }
  return { reply: replies, end };
}
