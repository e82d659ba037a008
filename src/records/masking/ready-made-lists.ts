import type { Reason } from "./reasons.schemas.ts";

/**
 * Lists to start from. GDPR: Regulation (EU) 2016/679. FOIA: the exemptions of 5 U.S.C. § 552(b), with the codes that agencies print
 * on redacted pages.
 */
export const READY_MADE_LISTS = {
  gdpr: {
    name: "GDPR",
    reasons: [
      { code: "Art. 4(1)", text: "Personal data of an identifiable person" },
      { code: "Art. 5(1)(c)", text: "Data minimization: not needed for the purpose" },
      { code: "Art. 6", text: "No legal basis to disclose this personal data" },
      { code: "Art. 7(3)", text: "The person withdrew consent" },
      { code: "Art. 8", text: "Personal data of a child" },
      { code: "Art. 9", text: "Special category of personal data, such as health, religion or biometrics" },
      { code: "Art. 10", text: "Data on criminal convictions or offenses" },
      { code: "Art. 15(4)", text: "Rights and freedoms of others, in the answer to a request for access" },
      { code: "Art. 17", text: "The person asked for erasure" },
      { code: "Art. 21", text: "The person objected to the processing" },
    ],
  },
  foia: {
    name: "FOIA exemptions",
    reasons: [
      { code: "(b)(1)", text: "Classified national defense or foreign policy information" },
      { code: "(b)(2)", text: "Internal personnel rules and practices of an agency" },
      { code: "(b)(3)", text: "Exempt from disclosure by another statute" },
      { code: "(b)(4)", text: "Trade secrets and confidential commercial or financial information" },
      { code: "(b)(5)", text: "Privileged communications within or between agencies" },
      { code: "(b)(6)", text: "Clearly unwarranted invasion of personal privacy" },
      { code: "(b)(7)(A)", text: "Law enforcement: could interfere with enforcement proceedings" },
      { code: "(b)(7)(B)", text: "Law enforcement: would deprive a person of a fair trial" },
      { code: "(b)(7)(C)", text: "Law enforcement: unwarranted invasion of personal privacy" },
      { code: "(b)(7)(D)", text: "Law enforcement: identity of a confidential source" },
      { code: "(b)(7)(E)", text: "Law enforcement: techniques, procedures or guidelines" },
      { code: "(b)(7)(F)", text: "Law enforcement: life or physical safety of a person" },
      { code: "(b)(8)", text: "Supervision of financial institutions" },
      { code: "(b)(9)", text: "Geological and geophysical information on wells" },
    ],
  },
  none: { name: "Empty list", reasons: [] },
} as const satisfies Readonly<Record<string, { readonly name: string; readonly reasons: readonly Reason[] }>>;

export type ReadyMadeList = keyof typeof READY_MADE_LISTS;
