/** Resolves with a promise's value, or with undefined after the timeout. */
export async function waitAtMost<T>(timeoutMs: number, promise: Promise<T>): Promise<T | undefined> {
  // A resolved promise needs no timer. Setting one costs more than the rest of this function.
  const known = await Promise.race([promise, Promise.resolve()]);
  if (known !== undefined) return known;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeoutMs);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    if (timer !== undefined) clearTimeout(timer);
  }
}
