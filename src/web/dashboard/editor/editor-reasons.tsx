import type { EditorReasons } from "./editor.data.ts";

/** The menu of reasons for the selected mask, and the switch that prints codes. A team without reasons has none. */
export function ReasonMenu({ reasons: { list, isPrinted } }: { reasons: EditorReasons }) {
  if (list.length === 0 && !isPrinted) return null;
  return (
    <div class="field reason-field">
      <label for="reason">Reason</label>
      <select id="reason" data-reason autocomplete="off" aria-describedby="reason-hint" aria-keyshortcuts="R">
        <option value="">None</option>
        {list.map(({ code, text }) => (
          <option value={code} title={text}>
            {`${code}: ${text}`}
          </option>
        ))}
      </select>
      <p class="hint" id="reason-hint" role="status" data-reason-said />
      <label class="check">
        <input type="checkbox" data-burn-in checked={isPrinted} autocomplete="off" />
        Print the codes on masks that are large enough
      </label>
    </div>
  );
}
