/**
 * How long this process has computed so far, on all its threads, in milliseconds. Between two readings a machine that is busy with other
 * work, or stands still, adds nothing: what takes too much of it hangs.
 */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
