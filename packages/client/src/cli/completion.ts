import type { ParseArgsConfig } from "node:util";
import { oneOf, UsageError } from "./option-values.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

type Completed = readonly (readonly [
  name: string,
  command: { readonly summary: string; readonly options: NonNullable<ParseArgsConfig["options"]> },
])[];

/** Parses the shell from the arguments of `veil completion`; undefined if they ask for help. @throws UsageError */
export function parseCompletion(args: readonly string[]): Shell | undefined {
  if (args.includes("--help") || args.includes("-h")) return undefined;
  const [shell] = args;
  if (shell === undefined || args.length > 1)
    throw new UsageError(`veil completion is given ${args.length} shells; expected ${SHELLS.join(", ")}.`);
  return oneOf("The shell", shell, SHELLS);
}

/** A script that completes commands and their options. The shell itself completes files. */
export function completionOf(shell: Shell, commands: Completed): string {
  return SCRIPTS[shell](commands);
}

const SCRIPTS: Readonly<Record<Shell, (commands: Completed) => string>> = {
  bash: (commands) => `_veil() {
  local words
  case "\${COMP_WORDS[1]}" in
${commands.map(([name, { options }]) => `    ${name}) words="${flagsOf(options).join(" ")}" ;;`).join("\n")}
    *) words="${commands.map(([name]) => name).join(" ")} --help --version" ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words="${commands.map(([name]) => name).join(" ")} --help --version"; fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _veil veil
`,
  zsh: (commands) => `_veil() {
  if (( CURRENT == 2 )); then
    local -a names
    names=(${commands.map(([name, { summary }]) => `'${name}:${summary}'`).join(" ")})
    _describe command names
    return
  fi
  case "$words[2]" in
${commands.map(([name, { options }]) => `    ${name}) compadd -- ${flagsOf(options).join(" ")} ;;`).join("\n")}
  esac
  _files
}
compdef _veil veil
`,
  fish: (commands) =>
    commands
      .flatMap(([name, { summary, options }]) => [
        `complete -c veil -n __fish_use_subcommand -f -a ${name} -d '${summary}'`,
        ...Object.entries(options).map(([option, { short, type }]) =>
          [
            `complete -c veil -n '__fish_seen_subcommand_from ${name}' -l ${option}`,
            ...(short === undefined ? [] : [`-s ${short}`]),
            ...(type === "string" ? ["-r"] : []),
          ].join(" "),
        ),
      ])
      .map((line) => `${line}\n`)
      .join(""),
};

function flagsOf(options: NonNullable<ParseArgsConfig["options"]>): string[] {
  return Object.keys(options).map((name) => `--${name}`);
}
