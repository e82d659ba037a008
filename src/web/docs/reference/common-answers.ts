import type { Operation } from "./document.ts";

type Answer = Operation["responses"][string];

/** An error that several operations answer in the same words; it is shown once for all of them. */
interface CommonAnswer {
  readonly id: string;
  readonly status: string;
  readonly answer: Answer;
}

/** Finds the common answer that an answer of an operation is, undefined where it is the operation's own. */
export type CommonAnswers = ReadonlyMap<string, CommonAnswer>;

/** The errors that at least two operations answer alike. */
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

/** An operation's answers: those of its own, and those that others have too. */
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
