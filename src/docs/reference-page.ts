export type ApiDocument = object;
export function referencePage(_document: ApiDocument): string { return ""; }
