import type { Operation } from "./document.ts";

type Answer = Operation["responses"][string];

/** An error answer that several operations share. It is shown once for all of them. */
interface CommonAnswer {
  readonly id: string;
  readonly status: string;
  readonly answer: Answer;
}

/** The common answers, by the text of an operation's answer. */
export type CommonAnswers = ReadonlyMap<string, CommonAnswer>;

/** The error answers that at least two operations share. */
export function commonAnswersOf(operations: readonly Operation[]): CommonAnswers {
  const times = new Map<string, { status: string; answer: Answer; count: number }>();
  for (const { responses } of operations) {
    for (const [status, answer] of Object.entries(responses)) {
      if (Number(status) < 400) continue;
      const key = keyOf(status, answer);
      times.set(key, { status, answer, count: (times.get(key)?.count ?? 0) + 1 });
    }
  }
  const common = [...times].filter(([, { count }]) => count > 1);
  const sorted = common.toSorted(([, one], [, other]) => Number(one.status) - Number(other.status));
  return new Map(
    sorted.map(([key, { status, answer }], index) => {
      const earlier = sorted.slice(0, index).filter(([, other]) => other.status === status).length;
      return [key, { id: `answer-${status}${earlier === 0 ? "" : `-${earlier + 1}`}`, status, answer }];
    }),
  );
}

/** Splits an operation's answers into its own and the common ones. */
export function splitAnswers({ responses }: Operation, commonAnswers: CommonAnswers) {
  const own: [status: string, answer: Answer][] = [];
  const common: CommonAnswer[] = [];
  for (const [status, answer] of Object.entries(responses)) {
    const found = commonAnswers.get(keyOf(status, answer));
    if (found === undefined) own.push([status, answer]);
    else common.push(found);
  }
  return { own, common };
}

function keyOf(status: string, { description, content }: Answer): string {
  return JSON.stringify([status, description, content]);
}
