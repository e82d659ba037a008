import { Random } from "./random.ts";

export const SPEECH_RATE = 16_000;
/** Formants of six vowels in Hz, after Peterson and Barney (1952). */
const VOWELS = [
  [730, 1090, 2440],
  [270, 2290, 3010],
  [530, 1840, 2480],
  [570, 840, 2410],
  [300, 870, 2240],
  [660, 1720, 2410],
] as const;
const BANDWIDTHS = [80, 100, 140];
const GAINS = [1, 0.6, 0.3];

/**
 * Synthesizes sound that speech detectors take for speech. Moving formants shape the pulses of a 120 Hz voice into syllables, and each
 * syllable begins with noise. There are no words in it.
 *
 * @returns samples of −1 to 1 at 16 kHz
 */
export function syntheticSpeech(seconds: number, seed = 1): Float32Array {
  const random = new Random(seed);
  const sound = new Float32Array(Math.round(seconds * SPEECH_RATE));
  let phase = 0;
  for (let from = 0; from < sound.length;) {
    const samples = Math.round((0.14 + 0.1 * random.next()) * SPEECH_RATE);
    const [vowel, next] = [random.pick(VOWELS), random.pick(VOWELS)];
    const resonators = vowel.map(() => ({ last: 0, beforeLast: 0 }));
    for (let at = 0; at < samples && from + at < sound.length; at++) {
      const time = (from + at) / SPEECH_RATE;
      const pitch = 120 + 18 * Math.sin(4.4 * time) + 8 * Math.sin(14.5 * time);
      const before = Math.floor(phase);
      phase += pitch / SPEECH_RATE;
      const pulse = (Math.floor(phase) > before ? 1 : 0) + 0.01 * (random.next() - 0.5);
      const share = at / samples;
      let value = 0;
      for (const [index, resonator] of resonators.entries()) {
        const [start = 0, end = 0] = [vowel[index], next[index]];
        const radius = Math.exp((-Math.PI * (BANDWIDTHS[index] ?? 0)) / SPEECH_RATE);
        const angle = (2 * Math.PI * (start + (end - start) * 0.5 * share)) / SPEECH_RATE;
        const out =
          pulse + 2 * radius * Math.cos(angle) * resonator.last - radius ** 2 * resonator.beforeLast;
        resonator.beforeLast = resonator.last;
        resonator.last = out;
        value += (GAINS[index] ?? 0) * out;
      }
      const noise = at < 800 ? 3 * (random.next() - 0.5) * Math.sin((Math.PI * at) / 800) : 0;
      sound[from + at] = value * Math.sin(Math.PI * share) ** 0.6 + noise;
    }
    from += samples + (random.next() < 0.5 ? 480 : 0);
  }
  const loudest = sound.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return sound.map((value) => (0.6 * value) / loudest);
}
