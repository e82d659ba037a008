import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const eventSchema = z.looseObject({ event: z.string(), mediaId: z.string() });

/** An event of the Workers' log about a media item, with all its fields. */
export type LogEvent = z.output<typeof eventSchema>;

/** Reads the events about a media item from the Workers' log of the service in a folder, in their order. */
export async function eventsOf(folder: string, mediaId: string): Promise<LogEvent[]> {
  const log = await readFile(join(folder, "workers.log"), "utf8");
  return log.split("\n").flatMap((line) => {
    if (!line.includes(mediaId)) return [];
    const parsed = eventSchema.safeParse(JSON.parse(line));
    return parsed.success && parsed.data.mediaId === mediaId ? [parsed.data] : [];
  });
}

/** The value of a measure of an event; 0 if it has none. */
export function measureOf(event: LogEvent | undefined, name: string): number {
  const value = event?.[name];
  return typeof value === "number" ? value : 0;
}
