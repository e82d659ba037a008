import { z } from "zod";

/** The filter of deletions in an address. Invalid parameters are ignored, so that old links still work. */
export const deletionsQuerySchema = z.object({
  id: z.uuid().optional().catch(undefined),
  request: z
    .string()
    .regex(/^req_[0-9a-f-]{36}$/)
    .optional()
    .catch(undefined),
  file: z.string().max(255).optional().catch(undefined),
  from: z.iso.date().optional().catch(undefined),
  until: z.iso.date().optional().catch(undefined),
  after: z
    .string()
    .regex(/^\d{1,15}_[0-9a-f-]{36}$/)
    .optional()
    .catch(undefined),
});

export type DeletionsQuery = z.output<typeof deletionsQuerySchema>;

/** The address of `path` with a query. */
export function deletionsAddress(path: string, query: DeletionsQuery & { readonly format?: string }): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, value] as [string, string]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}
