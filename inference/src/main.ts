import { readEnv } from "./platform/env.ts";
import { createLog, errorFields } from "./platform/log.ts";
import { startService } from "./service.ts";

try {
  const env = readEnv(process.env);
  const log = createLog(env.LOG_LEVEL);
  const service = await startService(env, log);
  const stop = async (signal: string): Promise<void> => {
    log.info({ event: "stopping", signal });
    await service.stop();
    log.info({ event: "stopped" });
  };
  for (const signal of ["SIGTERM", "SIGINT"]) {
    process.once(signal, () => {
      stop(signal).catch((error: unknown) => {
        log.fatal({ event: "stop_failed", ...errorFields(error) });
        process.exitCode = 1;
      });
    });
  }
  const { port, engine } = service;
  log.info({ event: "listening", host: env.HOST, port, provider: env.PROVIDER, engine });
} catch (error) {
  createLog("info").fatal({ event: "start_failed", ...errorFields(error) });
  process.exitCode = 1;
}
