/** Resolves with a promise's value, or with undefined after the timeout. */
export async function waitAtMost<T>(timeoutMs: number, promise: Promise<T>): Promise<T | undefined> {
  // A promise that has resolved needs no timer, and setting one costs more than everything else here.
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
