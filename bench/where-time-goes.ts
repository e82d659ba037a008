/**
 * Follows one photo and one film through an idle service, from the first byte of the upload to `completed`. Prints how long each
 * step took by the service's own log, and how long the machine needs for the step's work alone.
 */
import { followFilm, makeFilm } from "./lib/follow-film.ts";
import { followPhotos } from "./lib/follow-photos.ts";
import { progress, runBenchmark } from "./lib/report.ts";
import { withService } from "./lib/service.ts";
import { stepTable } from "./lib/step-table.ts";

await runBenchmark(import.meta.filename, async () => {
  // While the film is made, the service would close the connection that it answered on.
  const file = await makeFilm();
  const { photo, film } = await withService(async (service) => ({
    photo: await followPhotos(service),
    film: await followFilm(service, file),
  }));
  for (const { title, steps, totalMs } of [photo, film]) progress(`\n${stepTable(title, steps, totalMs)}`);
  return {
    findings: [...photo.findings, ...film.findings],
    details: { photo: photo.details, film: film.details },
  };
});
