/** Why sending is paused, and for how many more seconds. */
export interface Pause {
  readonly why: string;
  readonly seconds: number;
}

/**
 * Pauses all files while the service wants fewer requests or cannot be reached.
 *
 * @param onChange Called each second while uploads are paused, and when they continue.
 */
export function createGate(onChange: (pause: Pause | undefined) => void) {
  let untilMs = 0;
  let why = "";
  let timer = 0;
  let waiting: (() => void)[] = [];

  const isClosed = () => untilMs > 0;
  const open = () => {
    window.clearTimeout(timer);
    untilMs = 0;
    const released = waiting;
    waiting = [];
    onChange(undefined);
    for (const release of released) release();
  };
  // Uses the clock, because timers of a background page may fire only once a minute.
  const countDown = () => {
    window.clearTimeout(timer);
    const leftMs = untilMs - Date.now();
    if (leftMs <= 0) {
      open();
      return;
    }
    onChange({ why, seconds: Math.ceil(leftMs / 1000) });
    timer = window.setTimeout(countDown, Math.min(leftMs, 1000));
  };

  return {
    isClosed,
    open,
    /** Pauses sending for this long. Of several pauses, the longest counts. */
    close(reason: string, seconds: number) {
      const end = Date.now() + seconds * 1000;
      if (end <= untilMs) return;
      untilMs = end;
      why = reason;
      countDown();
    },
    /** Resolves once files may be sent. */
    async passed() {
      // Another pause may begin right after one ends.
      while (isClosed()) {
        await new Promise((resolve: (value?: undefined) => void) => {
          waiting.push(resolve);
        });
      }
    },
  };
}
