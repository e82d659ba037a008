import type { VeilClient } from "../client.ts";
import type { Order } from "./arguments.ts";
import { type Task } from "./inputs.ts";
/** Where a file is on its way; `share` of the step is done, as far as that can be told. */
export type Step = {
    readonly name: "uploading" | "downloading";
    readonly share: number;
} | {
    readonly name: "redacting";
    readonly share: undefined;
};
/** What has become of a file. */
export interface Outcome {
    readonly task: Task;
    readonly mediaId: string | undefined;
    /** Why it is not redacted; undefined when it is. */
    readonly fault: Error | undefined;
    readonly durationSeconds: number;
}
/** What a file is redacted with. */
export interface Work {
    readonly client: VeilClient;
    readonly order: Order;
    readonly signal: AbortSignal;
    /** Media that the service has and whose redacted file is not written. */
    readonly unfinished: Set<string>;
}
/** Redacts one file from upload to written output. Never throws. */
export declare function redactFile(work: Work, task: Task, onStep: (step: Step) => void): Promise<Outcome>;
interface Reason {
    readonly code: string;
    /** Of a media that the service could not process: which of the service's failures it was. */
    readonly failure_code?: string;
    readonly message: string;
}
/** Why a file is not redacted: a word for programs and sentences for people. */
export declare function reasonOf(fault: Error): Reason;
export {};
