/** Awaits two concurrent tasks. If one fails, it still waits for the other, so that nothing outlives the job. */
export async function both<First, Second>(
  first: Promise<First>,
  second: Promise<Second>,
): Promise<[First, Second]> {
  await Promise.allSettled([first, second]);
  return [await first, await second];
}
