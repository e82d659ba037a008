import { boxInSight } from "./editor-keys.ts";
import { followBox } from "./video-follow.ts";
import { boxWithRim } from "./video-masks.ts";
import { boxAt } from "./video-tracks.ts";
import { playActions } from "./video-transport.ts";
import type { EditorShapes } from "./editor-shapes.ts";
import type { EditorSight } from "./editor-sight.ts";
import type { EditorView } from "./editor-view.ts";
import type { Leading } from "./video-lead.ts";
import type { VideoPlayer } from "./video-player.ts";
import type { VideoState } from "./video-state.ts";
import type { VideoTimeline } from "./video-timeline.ts";

/** The largest error of the service's keyframes, as a share of the picture. */
const FOLLOWED_TOLERANCE = 0.01;
const MOMENT_SECONDS = 0.002;

interface VideoParts {
  editor: HTMLElement;
  svg: SVGSVGElement;
  state: VideoState;
  player: VideoPlayer;
  shapes: EditorShapes;
  sight: EditorSight;
  view: EditorView;
  timeline: VideoTimeline;
  leading: Leading;
  say: (sentence: string) => void;
  /** the playback speed that a person chose */
  rate: () => number;
}

export type VideoActions = ReturnType<typeof actionsOf>;
export type VideoAction = Exclude<keyof VideoActions, "choose">;

/** The actions on a video and its selection, for buttons and keys. */
export function actionsOf({
  editor,
  svg,
  state,
  player,
  shapes,
  sight,
  view,
  timeline,
  leading,
  say,
  rate,
}: VideoParts) {
  return {
    /** Selects a detection and shows a frame that contains it. */
    choose: (key: string | undefined) => {
      choose(key);
    },
    ...playActions(player, rate),
    above: () => {
      choose(timeline.neighbor(shapes.selected, -1));
    },
    below: () => {
      choose(timeline.neighbor(shapes.selected, 1));
    },
    toggle: withSelected((key) => {
      if (state.regionOf(key) === undefined) state.toggle(key);
      else say("You added this mask. Press Delete to remove it.");
    }),
    remove: withSelected((key) => {
      if (state.regionOf(key) !== undefined) remove(key);
      else state.setHidden([key], false);
    }),
    split: withSelected((key) => {
      choose(state.split(key, player.seconds), true);
    }),
    start: withSelected((key) => {
      choose(state.trim(key, "start", player.seconds), true);
    }),
    end: withSelected((key) => {
      choose(state.trim(key, "end", player.seconds), true);
    }),
    keyframe: withSelected((key) => {
      choose(state.toggleKeyframe(key), true);
    }),
    previous: withSelected((key) => {
      jump(key, (times) => lastBefore(times, player.seconds - MOMENT_SECONDS));
    }),
    next: withSelected((key) => {
      jump(key, (times) => times.find((time) => time > player.seconds + MOMENT_SECONDS));
    }),
    middle: withSelected((key) => {
      jump(key, (times) => {
        const before = lastBefore(times, player.seconds + MOMENT_SECONDS);
        const after = times.find((time) => time > player.seconds + MOMENT_SECONDS);
        if (before === undefined || after === undefined) return undefined;
        const frames = Math.round((after - before) / player.frameSeconds / 2);
        return before + frames * player.frameSeconds;
      });
    }),
    box: () => {
      shapes.select(state.addRegion("box", boxInSight(svg, view)));
    },
    follow: () => {
      if (shapes.selected === undefined) shapes.select(state.addRegion("box", boxInSight(svg, view)));
      else void follow(shapes.selected);
    },
    lead: () => {
      if (leading.isLeading) {
        leading.end();
        return;
      }
      const key = shapes.selected;
      const box = key === undefined ? undefined : state.boxOf(key);
      leading.begin(box ?? boxInSight(svg, view), box === undefined ? undefined : key);
    },
  };

  function withSelected(act: (key: string) => void) {
    return () => {
      say(shapes.selected === undefined ? "Click a mask first, in the picture or on the timeline." : "");
      if (shapes.selected !== undefined) act(shapes.selected);
    };
  }

  function remove(key: string) {
    state.removeRegion(key);
    shapes.select(undefined);
    svg.focus({ preventScroll: true });
  }

  /** @param isHere whether the current frame stays */
  function choose(key: string | undefined, isHere: boolean = false) {
    const track = key === undefined ? undefined : state.trackOf(key);
    if (key === undefined || track === undefined) return;
    const isSeen = player.seconds >= track.startSeconds && player.seconds <= track.endSeconds;
    if (!isHere && !isSeen) player.seek(track.startSeconds);
    sight.keep([key]);
    shapes.select(key);
    timeline.reveal(key);
  }

  function jump(key: string, timeOf: (times: readonly number[]) => number | undefined) {
    const track = state.trackOf(key);
    const times = track?.keyframes.map(({ time_seconds: time }) => time) ?? [];
    const time = timeOf(times);
    if (time === undefined) say("There is no set position in that direction.");
    else player.seek(time);
  }

  /** Lets the service follow an object from the current frame. */
  async function follow(key: string) {
    const box = state.boxOf(key);
    if (box === undefined) {
      say("Draw a mask in this frame first, and select it.");
      return;
    }
    const { seconds } = player;
    player.pause();
    say("Following…");
    const { followed, fault } = await followBox(editor, { time_seconds: seconds, box });
    const track = state.regionOf(key)?.track;
    if (track === undefined) return;
    if (followed === undefined) {
      say(fault);
      return;
    }
    const keyframes = followed.keyframes.map((keyframe) => {
      return { ...keyframe, box: boxWithRim(keyframe.box, FOLLOWED_TOLERANCE) };
    });
    state.setTrack(key, {
      ...track,
      startSeconds: followed.start_seconds,
      endSeconds: followed.end_seconds,
      keyframes: boxAt(keyframes, seconds) === undefined ? track.keyframes : keyframes,
    });
    shapes.select(key);
    const length = followed.end_seconds - followed.start_seconds;
    say(
      `Followed for ${length.toFixed(1)} s, until it was out of sight. Play the video to check the mask; drag it where it is wrong.`,
    );
  }
}

/** @param times in ascending order */
function lastBefore(times: readonly number[], limit: number) {
  const before = times.filter((time) => time < limit);
  return before.at(-1);
}
