/** Writes a painted block's coefficients and returns the index of the last non-zero one. */
export declare function paint(slot: u32, column: u32, row: u32, cellClass: u32): u32;

/** Hides the invisible part of the block in the coefficients. Returns the index of the last non-zero one. */
export declare function hide(slot: u32, column: u32, row: u32): u32;

/** Adds a block's DC to what its cell needs. */
export declare function add(slot: u32, column: u32, row: u32, cellClass: u32, dc: i32): void;

/** Copies what earlier scans gathered of a block to the coefficients. Returns false if the block is not gathered. */
export declare function gather(slot: u32, column: u32, row: u32): bool;

/** Keeps the coefficients of a block that is gathered. */
export declare function keep(slot: u32, column: u32, row: u32): void;
