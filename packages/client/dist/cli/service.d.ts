import { type Order } from "./arguments.ts";
/** Where the service is, and what is to be said of how it was found. */
export interface FoundService {
    readonly baseUrl: string;
    readonly apiKey: string;
    readonly note: string | undefined;
}
/**
 * The service that the options or the environment name, else the one that runs on this machine.
 *
 * @throws UsageError when neither is there
 */
export declare function findService(order: Pick<Order, "baseUrl" | "apiKey" | "veilDirectory">, directory: string): Promise<FoundService>;
