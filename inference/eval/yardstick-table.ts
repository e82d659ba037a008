import { CATEGORIES, type Category } from "../src/detections/categories.ts";
import type { DetectorReport } from "./evaluate.ts";
import { amount, share, table } from "./table.ts";

interface Goal {
  readonly covered: number;
  readonly painted?: number;
}

const USUAL_PAINTED = 1.6;
const GOALS: Partial<Record<Category, Goal>> = {
  heads: { covered: 0.94 },
  license_plates: { covered: 0.96, painted: 1.8 },
  screens: { covered: 0.72 },
  writing: { covered: 0.97 },
  street_signs: { covered: 0.98 },
  id_cards: { covered: 0.88 },
  passports: { covered: 0.88 },
  credit_cards: { covered: 0.88 },
  name_badges: { covered: 0.88 },
  qr_codes: { covered: 0.98 },
  barcodes: { covered: 0.98 },
  documents: { covered: 0.93 },
  tattoos: { covered: 0.65 },
};

/**
 * One row for each category and detector, at the shipped settings: how many labels are covered, how much is painted, how often
 * the category is hidden in photos without it, and the goals.
 */
export function yardstickTable(reports: readonly DetectorReport[]): string {
  const rows = CATEGORIES.flatMap((category) => reports.map((report) => rowOf(category, report)));
  const header = ["Category", "Detector", "Targets", "Covered", "Goal", "95 % painted", "painted / found"];
  return table([...header, "Goal", "false a photo", "Presence", "Goal"], rows);
}

function rowOf(category: Category, { name, sets, presence }: DetectorReport): string[] {
  const labeled = sets.find(({ categories }) => categories[category] !== undefined);
  const usual = labeled?.categories[category]?.usual;
  const painted = labeled?.painted[category];
  const goal = GOALS[category];
  return [
    category,
    name,
    String(usual?.targets ?? 0),
    share(usual?.coverage),
    share(goal?.covered),
    share(painted?.painted),
    amount(painted?.paintedToFound),
    amount(goal?.painted ?? USUAL_PAINTED),
    amount(usual?.falsePerPhoto),
    share(presence[category]?.share),
    share(presence[category]?.limit),
  ];
}
