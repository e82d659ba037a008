/** Whether a URL's host is the machine that asks. */
export declare function isThisMachine(url: URL): boolean;
/**
 * The address that paths are put behind. An origin alone gets the version of the contract.
 *
 * @throws VeilError when it is no URL, or would send the key unencrypted to another machine
 */
export declare function baseUrlOf(text: string, { allowHttp }: {
    allowHttp: boolean;
}): string;
