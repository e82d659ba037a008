/** Text values of an upload's form by part name, in the order they came. */
export type FormFields = ReadonlyMap<string, readonly string[]>;
