import { type Order } from "./arguments.ts";
/** One file to redact, and where its redacted file goes. */
export interface Task {
    /** As it was given, for people. */
    readonly name: string;
    readonly inputPath: string;
    readonly outputPath: string;
}
/** A file of a folder or glob that is not redacted. */
export interface LeftAlone {
    /** As it is seen from here. */
    readonly name: string;
    readonly reason: "left_alone" | "redacted_already";
}
/** What the paths of an order come to. */
export interface Plan {
    readonly tasks: readonly Task[];
    /** Files in folders and of globs that are no photos or videos by their names, or redacted already. */
    readonly leftAlone: readonly LeftAlone[];
}
/** Finds the files that an order names and gives each its output. @throws UsageError when that is not possible */
export declare function planOf(order: Pick<Order, "paths" | "output">, directory: string): Promise<Plan>;
/** A path as it is seen from here, where that is shorter. */
export declare function shown(path: string): string;
