/**
 * How a client finds its media again. It changes nothing of the redaction, and an idempotency key does not compare it: a retry with
 * other labels is answered as the first time and keeps the first labels.
 */
export interface UploadLabels {
  /** The folder that the file came from, `/` between its parts. */
  readonly folder?: string | undefined;
  /** Up to 20 texts that are kept with the media; `external_id` among them is what `list` finds it by. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** The labels as properties of a JSON body; those that are not given are left out. */
export function labelProperties({ folder, metadata }: UploadLabels): Readonly<Record<string, unknown>> {
  return { ...(folder !== undefined && { folder }), ...(metadata !== undefined && { metadata }) };
}

/** The labels as fields of a form. */
export function labelFields({ folder, metadata }: UploadLabels): (readonly [name: string, value: string])[] {
  return [
    ...(folder === undefined ? [] : [["folder", folder] as const]),
    ...(metadata === undefined ? [] : [["metadata", JSON.stringify(metadata)] as const]),
  ];
}
