type Fault = Error | "unanswered" | undefined;

/**
 * Decides what happens at the n-th storage call, counted from 1: nothing, the returned fault is thrown, or the call is never answered, as
 * if the worker had died. Its own side effects happen right before the call.
 */
export type FaultPlan = (call: number) => Fault | Promise<Fault>;

/** Storage bindings that count their calls and fail by plan. `calls` is the number of calls. */
export interface FaultyBindings {
  readonly bindings: object;
  readonly calls: () => number;
}

/** Runs one storage call, or fails it. */
type Step = <T>(call: () => Promise<T>) => Promise<T>;

/**
 * Counts every D1 and R2 round trip of `bindings` and lets `plan` fail it, before it takes effect or afterward, as if only the answer were
 * lost.
 */
export function faultyBindings(
  bindings: { DB: D1Database; DB_2?: D1Database | undefined; MEDIA: R2Bucket },
  plan: FaultPlan,
  when: "before" | "after" = "before",
): FaultyBindings {
  let calls = 0;
  const step: Step = async (call) => {
    calls += 1;
    const fault = await plan(calls);
    if (fault !== undefined && when === "before") return await failed(fault);
    const result = await call();
    return fault === undefined ? result : await failed(fault);
  };
  const statement = (inner: D1PreparedStatement): D1PreparedStatement =>
    wrap(inner, {
      bind: (...values: unknown[]) => statement(inner.bind(...values)),
      ...stepped(inner, ["first", "run", "all", "raw"], step),
    });
  const session = (inner: D1DatabaseSession): D1DatabaseSession =>
    wrap(inner, {
      prepare: (sql: string) => statement(inner.prepare(sql)),
      batch: async (statements: D1PreparedStatement[]) =>
        await step(async () => await inner.batch(statements.map(unwrap))),
    });
  const upload = (inner: R2MultipartUpload): R2MultipartUpload =>
    wrap(inner, stepped(inner, ["uploadPart", "complete", "abort"], step));
  const database = (inner: D1Database): D1Database =>
    wrap(inner, { withSession: (bookmark?: string) => session(inner.withSession(bookmark)) });
  const DB = database(bindings.DB);
  const { DB_2: second } = bindings;
  const MEDIA = wrap(bindings.MEDIA, {
    ...stepped(bindings.MEDIA, ["get", "put", "delete", "list", "head"], step),
    createMultipartUpload: async (key: string) =>
      upload(await step(async () => await bindings.MEDIA.createMultipartUpload(key))),
    resumeMultipartUpload: (key: string, id: string) => upload(bindings.MEDIA.resumeMultipartUpload(key, id)),
  });
  const DB_2 = second === undefined ? {} : { DB_2: database(second) };
  return { bindings: { ...bindings, DB, ...DB_2, MEDIA }, calls: () => calls };
}

async function failed(fault: Error | "unanswered"): Promise<never> {
  if (fault === "unanswered") return await new Promise<never>(() => undefined);
  throw fault;
}

const originals = new WeakMap<object, object>();

function wrap<T extends object>(inner: T, replaced: Record<string, unknown>): T {
  const proxy = new Proxy(inner, {
    get(target, name) {
      if (typeof name === "string" && name in replaced) return replaced[name];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  originals.set(proxy, inner);
  return proxy;
}

function unwrap<T extends object>(value: T): T {
  return (originals.get(value) as T | undefined) ?? value;
}

function stepped<T extends object>(
  inner: T,
  names: (keyof T & string)[],
  step: Step,
): Record<string, unknown> {
  return Object.fromEntries(
    names.map((name) => [
      name,
      async (...args: unknown[]): Promise<unknown> => {
        const method = inner[name] as (...args: unknown[]) => Promise<unknown>;
        return await step(async () => await method.apply(inner, args));
      },
    ]),
  );
}
