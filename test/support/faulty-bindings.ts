/** Decides what happens at the n-th storage call, counted from 1: nothing, or the fault it returns is thrown. */
export type FaultPlan = (call: number) => Error | undefined;

/** Storage bindings that count their calls and fail by plan. `calls` tells how many there were. */
export interface FaultyBindings {
  readonly bindings: object;
  readonly calls: () => number;
}

/** Counts every D1 and R2 round trip of `bindings` and lets `plan` fail it before it happens. */
export function faultyBindings(
  bindings: { DB: D1Database; MEDIA: R2Bucket },
  plan: FaultPlan,
): FaultyBindings {
  let calls = 0;
  const step = (): void => {
    calls += 1;
    const fault = plan(calls);
    if (fault !== undefined) throw fault;
  };
  const statement = (inner: D1PreparedStatement): D1PreparedStatement =>
    wrap(inner, {
      bind: (...values: unknown[]) => statement(inner.bind(...values)),
      ...stepped(inner, ["first", "run", "all", "raw"], step),
    });
  const session = (inner: D1DatabaseSession): D1DatabaseSession =>
    wrap(inner, {
      prepare: (sql: string) => statement(inner.prepare(sql)),
      batch: async (statements: D1PreparedStatement[]) => {
        step();
        return await inner.batch(statements.map(unwrap));
      },
    });
  const upload = (inner: R2MultipartUpload): R2MultipartUpload =>
    wrap(inner, stepped(inner, ["uploadPart", "complete", "abort"], step));
  const DB = wrap(bindings.DB, {
    withSession: (bookmark?: string) => session(bindings.DB.withSession(bookmark)),
  });
  const MEDIA = wrap(bindings.MEDIA, {
    ...stepped(bindings.MEDIA, ["get", "put", "delete", "list", "head"], step),
    createMultipartUpload: async (key: string) => {
      step();
      return upload(await bindings.MEDIA.createMultipartUpload(key));
    },
    resumeMultipartUpload: (key: string, id: string) => upload(bindings.MEDIA.resumeMultipartUpload(key, id)),
  });
  return { bindings: { ...bindings, DB, MEDIA }, calls: () => calls };
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
  step: () => void,
): Record<string, unknown> {
  return Object.fromEntries(
    names.map((name) => [
      name,
      async (...args: unknown[]): Promise<unknown> => {
        step();
        const method = inner[name] as (...args: unknown[]) => Promise<unknown>;
        return await method.apply(inner, args);
      },
    ]),
  );
}
