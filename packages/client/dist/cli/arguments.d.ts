import { type RedactionCategory, type RedactionMethod } from "../types.ts";
/** The command is wrong: nothing has been sent. */
export declare class UsageError extends Error {
}
/** What the command asks for. */
export interface Order {
    readonly paths: readonly string[];
    readonly categories: readonly RedactionCategory[];
    readonly method: RedactionMethod;
    readonly output: string | undefined;
    readonly isForced: boolean;
    readonly isDeleting: boolean;
    readonly concurrency: number;
    readonly timeoutMs: number;
    readonly isJson: boolean;
    readonly isQuiet: boolean;
    readonly baseUrl: string | undefined;
    readonly apiKey: string | undefined;
    readonly veilDirectory: string | undefined;
    readonly allowHttp: boolean;
}
/** What the arguments ask for, undefined for help. @throws UsageError */
export declare function parseOrder(args: readonly string[], env: NodeJS.ProcessEnv): Order | undefined;
