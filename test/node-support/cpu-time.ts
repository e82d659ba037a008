/**
 * The CPU time of this process on all threads, in milliseconds. Other load on the machine does not count, so a test that uses too much of
 * it hangs.
 */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
