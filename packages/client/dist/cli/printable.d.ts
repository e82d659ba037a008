/** A text without what a terminal would take for a command, or for a change of direction. */
export declare function printable(text: string): string;
