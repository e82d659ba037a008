import { type Order } from "./arguments.ts";
import { type ExitCode } from "./exit-codes.ts";
/** Redacts all files of an order and reports each. @throws UsageError before anything is sent */
export declare function redactFiles(order: Order): Promise<ExitCode>;
