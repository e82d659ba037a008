/** The sample rate at which speech is found. */
export const SAMPLES_PER_SECOND = 16_000;
/** 16-bit samples. */
export const SAMPLE_BYTES = 2;
