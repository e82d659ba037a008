/**
 * Labels with which a client finds its media again. They do not affect the redaction, and an idempotency key does not compare
 * them: a retry with different labels gets the first response and keeps the first labels.
 */
export interface UploadLabels {
  /** The folder that the file came from, with `/` between its parts. */
  readonly folder?: string | undefined;
  /** Up to 20 texts that are stored with the media. `list` can filter by `external_id`. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** The labels as properties of a JSON body, without those that are undefined. */
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
