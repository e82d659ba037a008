export declare const USAGE: string;
