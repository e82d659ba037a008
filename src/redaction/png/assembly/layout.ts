/** Where everything lies in the module's memory. Sizes in bytes; gaps are room for loops that read or write ahead. */

/** Compressed bytes on their way in. */
export const INPUT: usize = 1024;
export const INPUT_BYTES: usize = 65_536;

/** Inflated bytes: the last 32 KiB and what was inflated since. */
export const WINDOW: usize = INPUT + INPUT_BYTES + 64;
export const WINDOW_BYTES: usize = 98_304;
/** A match may be written past the last place where one may begin. */
export const WINDOW_SLACK: usize = 320;

/** Look-up tables of the inflater: entries of four bytes. */
export const LITERAL_TABLE: usize = WINDOW + WINDOW_BYTES + WINDOW_SLACK;
export const LITERAL_TABLE_BYTES: usize = 4 * (2048 + 16 * 288);
export const DISTANCE_TABLE: usize = LITERAL_TABLE + LITERAL_TABLE_BYTES;
export const DISTANCE_TABLE_BYTES: usize = 4 * (256 + 128 * 32);
/** Code lengths of a block: up to 288 and 32 of them, with room for a run that goes past. */
export const LENGTHS: usize = DISTANCE_TABLE + DISTANCE_TABLE_BYTES;
export const LENGTHS_BYTES: usize = 512;

/** Raw bytes to compress: the last 32 KiB and what is gathered since. */
export const RAW: usize = LENGTHS + LENGTHS_BYTES;
export const RAW_BYTES: usize = 196_608;
/** Two positions for each hash. */
export const HASHES: usize = RAW + RAW_BYTES + 64;
export const HASH_BITS: u32 = 15;
export const HASHES_BYTES: usize = 8 << 15;
/** Matches of the block: literals before it (4), length (2), distance − 1 (2). */
export const MATCHES: usize = HASHES + HASHES_BYTES;
export const MAX_MATCHES: u32 = 16_384;
export const MATCHES_BYTES: usize = 8 * 16_384;
/** Frequencies, then codes of literals and lengths, and of distances: entries of four bytes. */
export const LITERAL_COUNTS: usize = MATCHES + MATCHES_BYTES;
export const DISTANCE_COUNTS: usize = LITERAL_COUNTS + 4 * 288;
export const PRECODE_COUNTS: usize = DISTANCE_COUNTS + 4 * 32;
export const LITERAL_CODES: usize = PRECODE_COUNTS + 4 * 32;
export const DISTANCE_CODES: usize = LITERAL_CODES + 4 * 288;
export const PRECODE_CODES: usize = DISTANCE_CODES + 4 * 32;
/** Scratch of the Huffman coder and of the block header. */
export const SCRATCH: usize = PRECODE_CODES + 4 * 32;
export const SCRATCH_BYTES: usize = 8192;
/** By match length − 3: length symbol (2), extra bits (1), base − 3 (1). */
export const LENGTH_SYMBOLS: usize = SCRATCH + SCRATCH_BYTES;
/** By distance − 1 below 256, then by (distance − 1) >> 7: distance symbol. */
export const DISTANCE_SYMBOLS: usize = LENGTH_SYMBOLS + 4 * 256;
/** Slices of the CRC table: eight times 256 entries of four bytes. */
export const CRC_TABLE: usize = DISTANCE_SYMBOLS + 512;
/** Compressed bytes on their way out. */
export const OUTPUT: usize = CRC_TABLE + 8192;
export const OUTPUT_BYTES: usize = 262_144;

/** First byte of the rows. */
export const ROWS: usize = (OUTPUT + OUTPUT_BYTES + 1024 + 15) & ~15;
