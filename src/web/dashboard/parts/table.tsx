import type { Child } from "hono/jsx";

/** A row of a table. */
export interface TableRow {
  readonly tone?: "over" | "current" | undefined;
  /** The subject of the row: the cell of the first column. */
  readonly head: Child;
  /** The cells of the other columns. */
  readonly cells: readonly Child[];
  /** The actions on it. */
  readonly actions?: Child;
}

/** A table that becomes a list of labeled lines on narrow screens. */
export function Table({
  caption,
  columns: [first, ...others],
  rows,
}: {
  caption?: string;
  columns: readonly [string, ...string[]];
  rows: readonly TableRow[];
}) {
  const hasActions = rows.some(({ actions }) => actions !== undefined);
  return (
    <table class="list">
      {caption !== undefined && <caption>{caption}</caption>}
      <thead>
        <tr>
          {[first, ...others].map((name) => (
            <th scope="col">{name}</th>
          ))}
          {hasActions && (
            <th scope="col">
              <span class="unseen">Actions</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ tone, head, cells, actions }) => (
          <tr class={tone}>
            <th scope="row">{head}</th>
            {others.map((name, index) => (
              <td data-label={name}>{cells[index]}</td>
            ))}
            {hasActions && <td class="actions">{actions}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
