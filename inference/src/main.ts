import { readEnv } from "./platform/env.ts";
import { createLog } from "./platform/log.ts";
import { startService } from "./service.ts";

const log = createLog(process.env["LOG_LEVEL"] ?? "info");

try {
  const env = readEnv(process.env);
  const service = await startService(env, log);
  const stop = async (signal: string): Promise<void> => {
    log.info({ event: "stopping", signal });
    await service.stop();
    log.info({ event: "stopped" });
  };
  for (const signal of ["SIGTERM", "SIGINT"]) {
    process.once(signal, () => {
      stop(signal).catch((error: unknown) => {
        log.fatal({ event: "stop_failed", err: error });
        process.exitCode = 1;
      });
    });
  }
  log.info({ event: "listening", host: env.HOST, port: service.port, provider: env.PROVIDER });
} catch (error) {
  log.fatal(
    { event: "start_failed", err: error },
    error instanceof Error ? error.message : "The service did not start.",
  );
  process.exitCode = 1;
}
