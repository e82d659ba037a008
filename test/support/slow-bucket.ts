const PIECE_BYTES = 256;

/** The fault of one of a bucket's reads, counted from 1. */
export interface BucketReads {
  readonly opening?: number;
  /** The stream fails after this many bytes. */
  readonly breaksAt?: number;
  /** The stream ends after this many bytes, as if they were all. */
  readonly endsAt?: number;
}

/** A bucket whose objects arrive in small, delayed pieces. */
export function slowBucket(bucket: R2Bucket, { opening, breaksAt, endsAt }: BucketReads = {}): R2Bucket {
  let opened = 0;
  const get = async (key: string): Promise<object | null> => {
    const object = await bucket.get(key);
    if (object === null) return null;
    const whole = new Uint8Array(await object.arrayBuffer());
    const isFaulty = ++opened === opening;
    const end = Math.min(whole.length, (isFaulty ? (breaksAt ?? endsAt) : undefined) ?? whole.length);
    return {
      size: whole.length,
      etag: object.etag,
      body: slowStream(whole.slice(0, end), isFaulty && breaksAt !== undefined),
    };
  };
  return new Proxy(bucket, {
    get(target, name) {
      if (name === "get") return get;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

function slowStream(bytes: Uint8Array, breaks: boolean): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (at < bytes.length) controller.enqueue(bytes.slice(at, at + PIECE_BYTES));
      else if (breaks) controller.error(new Error("Network connection lost."));
      else controller.close();
      at += PIECE_BYTES;
    },
  });
}
