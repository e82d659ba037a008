import { isHiddenByChoice } from "../../../records/masking/detection-choice.ts";
import { codeOf, reasonOf, reasonsOfRevision, type Reasoned } from "../../../records/masking/mask-reasons.ts";
import { loadPlan, type StepContext, type StepMeasures } from "../tasks/step-context.ts";
import { listedDetections } from "../../../records/video-tasks/listed-detections.ts";
import { warmUpStart } from "../tasks/warm-up.ts";
import { requestedTracks } from "../tracks/requested-tracks.ts";
import { clipTracks, rangeOf, type Track } from "../tracks/track.ts";
import { loadCandidates, loadSegmentTracks, putSegmentTracks } from "./segment-tracks.ts";
import { timedFramesOf } from "./timed-frames.ts";
import { DetectionsWriter } from "./detections-writer.ts";

/**
 * Selects the tracks of its analysis that a revision hides, and stores each segment's part. It replaces linking for a video
 * that is already analyzed.
 */
export async function chooseTracks(context: StepContext): Promise<StepMeasures> {
  const { config, row, order } = context;
  const owned = { accountId: row.accountId, mediaId: row.id };
  const { choice = { redact: "all", except: [] }, regions, reasons = {}, burnsInReasons } = order.options;
  const isHidden = isHiddenByChoice(choice);
  const source = reasonsOfRevision(order.options);
  /** The code that a person chose for a detection, or else the one that it got when it was found. */
  const chosenCode = (id: string, known: string | undefined): string | null | undefined =>
    Object.hasOwn(reasons, id) ? reasons[id] : known;
  const labelOf = (mask: Reasoned): string | undefined =>
    burnsInReasons === true ? codeOf(mask, source) : undefined;
  const labeled = (track: Track): Track => {
    const { name = "", category, reason } = track;
    return { ...track, label: labelOf({ category, reason: chosenCode(name, reason) }) };
  };
  const plan = await loadPlan(context);
  const video = timedFramesOf(plan);
  const candidates = (await loadCandidates(config.MEDIA, order.analysis)).filter(({ name = "" }) =>
    isHidden({ id: name, isOpenByDefault: true }),
  );
  const hiddenRegions = regions.filter(({ isOpen }) => isOpen !== true);
  for (const [index, segment] of plan.segments.entries()) {
    context.signal.throwIfAborted();
    const last = segment.firstFrame + segment.frames - 1;
    const start = warmUpStart(plan, index);
    const { tracks, cuts } = await loadSegmentTracks(config.MEDIA, { ...order.analysis, segment: index });
    // Requested regions of the earlier version are dropped here. Those to hide are among this revision's own regions.
    const isKept = ({ name = "", isExact }: Track): boolean => isExact !== true && isHidden({ id: name });
    const chosen = [
      ...[...tracks.filter(isKept), ...clipTracks(candidates, start, last)].map(labeled),
      ...requestedTracks(hiddenRegions, video, { firstFrame: start, lastFrame: last, labelOf }),
    ].filter((track) => rangeOf(track)[1] >= segment.firstFrame);
    await putSegmentTracks(config.MEDIA, { ...owned, segment: index }, { tracks: chosen, cuts });
  }
  const writer = new DetectionsWriter(config.MEDIA, owned, { video, reasons: source });
  let tracks = 0;
  for await (const detection of listedDetections(config.MEDIA, order.analysis)) {
    if (detection.origin === "request") continue;
    const { id, category } = detection;
    const redacted = isHidden({ id, isOpenByDefault: !detection.redacted });
    if (redacted) tracks += 1;
    const isChosen = Object.hasOwn(reasons, id) || detection.reason === undefined;
    const known = isChosen ? reasonOf({ category, reason: reasons[id] }, source) : detection.reason;
    await writer.writeListed({ ...detection, redacted, reason: redacted ? known : undefined });
  }
  await writer.writeRequested(regions);
  await writer.finish();
  return { tracks, regions: hiddenRegions.length };
}
