/** One instruction of a Dockerfile, its continued lines joined. */
export interface Instruction {
  /** Index of the build stage, from 0. */
  readonly stage: number;
  readonly name: string;
  readonly rest: string;
}

/** Reads the instructions of a Dockerfile without here-documents. */
export function parseDockerfile(text: string): Instruction[] {
  const lines = text
    .replaceAll(/\\\n/g, " ")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  let stage = -1;
  return lines.map((line) => {
    const [name = "", ...words] = line.split(/\s+/);
    if (name === "FROM") stage += 1;
    return { stage, name, rest: words.join(" ") };
  });
}

export interface Copy {
  readonly stage: number;
  /** The stage or image copied from; undefined for the build context. */
  readonly from: string | undefined;
  readonly sources: string[];
  readonly target: string;
}

/** The COPY instructions, taken apart. */
export function copiesOf(instructions: readonly Instruction[]): Copy[] {
  return instructions
    .filter(({ name }) => name === "COPY")
    .map(({ stage, rest }) => {
      const words = rest.split(" ");
      const from = words.find((word) => word.startsWith("--from="))?.slice("--from=".length);
      const paths = words.filter((word) => !word.startsWith("--"));
      return { stage, from, sources: paths.slice(0, -1), target: paths.at(-1) ?? "" };
    });
}
