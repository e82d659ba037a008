/** Text values of an upload's form by part name, in the order in which they arrived. */
export type FormFields = ReadonlyMap<string, readonly string[]>;
