import { MEDIA_STATUSES, REDACTION_CATEGORIES } from "../types.ts";

const CONNECTION = `      --json             JSON on standard output, one line for each result
      --base-url URL     where the service is, such as https://veil.example.com/api/v1
      --api-key KEY      its API key; VEIL_API_KEY is safer, since others on this machine can see options
      --allow-http       send key and files unencrypted to another machine
  -h, --help

Without --base-url and --api-key, the command uses VEIL_BASE_URL and VEIL_API_KEY. Without those, it uses the service
that npm start runs on this machine: .veil/service.json, in this folder, in one above it, or in VEIL_DIR.
`;

const CATEGORIES = `  -c, --categories C,C   what to redact; "all", or some of
                         ${REDACTION_CATEGORIES.slice(0, 6).join(", ")},
                         ${REDACTION_CATEGORIES.slice(6).join(", ")}
`;

const SENSITIVITY = `      --sensitivity S    low for fewer false masks, high for fewer misses (default normal)
`;

const REGIONS = `      --region X,Y,W,H   another area to redact, in fractions of the picture from its left and top. Add @CATEGORY for
                         its category and, for a video, :START-END for the seconds. Can be repeated
      --regions FILE     a JSON file with a list of regions as the API takes them, such as ones that move
`;

const SOUND = `      --audio MODE       of videos: keep the sound, mute all of it, or mute_speech wherever somebody speaks
      --mute-range S-E   of videos: silence these seconds; with @tone, cover them with a tone. Can be repeated
`;

const TIMEOUT = `      --timeout SECONDS  how long a file may take after its upload (default 3600)
`;

/** The text of `veil --help`. `summaries` says what each command does. */
export function generalHelp(summaries: Readonly<Record<string, string>>): string {
  const lines = Object.entries(summaries).map(([name, summary]) => `  ${name.padEnd(12)}${summary}`);
  return `Usage: veil <command> [options]

${lines.join("\n")}

  veil redact photo.jpg --categories heads,license_plates -o out.jpg
  veil redact holiday/ "clips/*.mp4" -c all -o redacted/
  veil <command> --help shows the options of a command; veil --version the version.

Exit codes: 0 done, 1 something failed, 2 the command is wrong and nothing was sent, 3 the service cannot be reached
or refuses the key, 4 all photos and videos are redacted but other files were skipped, 130 interrupted.
`;
}

/** The text of `veil <command> --help`. */
export const HELP = {
  redact: `Usage: veil redact <file, folder, glob or https URL> … --categories C,C [options]

Uploads photos and videos, waits until they are redacted, and writes the redacted files. The service fetches URLs itself.

  veil redact photo.jpg --categories heads,license_plates -o out.jpg
  veil redact holiday/ "clips/*.mp4" -c all -o redacted/
  veil redact "https://files.example.com/street.jpg?signature=abc" -c heads

${CATEGORIES}  -m, --method M         blur (the default) or pixelation
${SENSITIVITY}      --min-confidence V exact threshold instead, from 0 to 1, for all categories, or for one: heads=0.4. Can be repeated
${REGIONS}${SOUND}      --detect-only      only detect; write no redacted file
      --verify           let the service read the redacted files again before they complete; --no-verify: do not.
                         Unless the account says otherwise, photos are read again and videos are not
  -o, --output PATH      the redacted file, or the folder for several files (default: photo.redacted.jpg beside
                         photo.jpg). Folders inside a folder are kept. Unless you name the file yourself, it gets the
                         extension of what is in it: clip.mkv becomes clip.redacted.mp4.
  -f, --force            replace existing files; a source is never replaced
      --skip-existing    skip files whose redacted file exists: to continue a run that was stopped
      --folder NAME      store the folder that the files came from. Folders inside a folder are added: NAME/sub
      --external-id ID   store your own ID; veil list can filter by it
      --metadata K=V     store a text of your own; can be repeated
      --delete           delete each media item from the service once its redacted file is written
  -j, --concurrency N    files processed at once (default 4)
${TIMEOUT}  -q, --quiet            no progress
${CONNECTION}
In a folder, the command takes photos and videos by their names (such as .jpg, .heic, .mp4, .mkv), except hidden files
and those named *.redacted.*. It skips and lists every other file. Files of 20 MB or more are sent in parts, which
continue after an interruption. Ctrl+C stops, removes unfinished output, and deletes unfinished media from the service.
`,
  detect: `Usage: veil detect <file or https URL> --categories C,C [--sensitivity S] [--only WHICH] [--json]
       veil detect <media id> [--categories C,C] [--only WHICH] [--json]

Lists what is found: ID, category, confidence, whether it is redacted, and where it is.

  veil detect photo.jpg -c heads
  veil detect 019a9c4e-6f1a-7c11-8f8e-0d2b5c3c9a10 -c heads --only open

  -c, --categories C,C   what to look for in a file, or what to list of a media item; "all", or some of
                         ${REDACTION_CATEGORIES.slice(0, 6).join(", ")},
                         ${REDACTION_CATEGORIES.slice(6).join(", ")}
      --only WHICH       list only detections that are redacted, or only those that are open
${SENSITIVITY}${TIMEOUT}${CONNECTION}`,
  revise: `Usage: veil revise <media id> [--except ID,ID] [--redact ID,ID] [--region X,Y,W,H] -o PATH

Makes a corrected version of a redacted file. It starts from the media item that you name; with --from-current, from the
file's current version, so that earlier corrections stay.

  veil revise 019a9c4e-6f1a-7c11-8f8e-0d2b5c3c9a10 --except det_0d2b5c3c9a10_2 --region 0.1,0.2,0.3,0.1 -o out.jpg

      --from-current     start from what the file's current version hides; --redact then lists more
      --except ID,ID     detections to uncover
      --redact ID,ID     detections to redact, or all (the default) or none
${REGIONS}${SOUND}      --burn-in-reasons  print the code of its reason on each mask that is large enough
  -m, --method M         blur or pixelation (as the first time unless given)
  -o, --output PATH      the file to write
  -f, --force            replace it if it exists
${TIMEOUT}${CONNECTION}`,
  download: `Usage: veil download <media id> [-o PATH]

Waits until a media item is redacted, and writes the redacted file.

  veil download 019a9c4e-6f1a-7c11-8f8e-0d2b5c3c9a10 -o out.jpg

  -o, --output PATH      the file to write (default: the service's name for it, in this folder)
  -f, --force            replace it if it exists
${TIMEOUT}${CONNECTION}`,
  verify: `Usage: veil verify <report> <file> [--jwks FILE] [--json]

Checks that a report is unchanged since the service signed it, and that it is about a file: the redacted one, or the
original. Says in one sentence what that proves. Needs no API key and, with --jwks, no connection.

  veil verify photo.report.jws photo.redacted.jpg --jwks jwks.json

      --jwks FILE        the service's public keys, saved from its /.well-known/jwks.json (default: fetched from there)
${CONNECTION}
Exit codes: 0 proven, 1 not proven, 2 the command is wrong or a file cannot be read, 3 the keys cannot be fetched.
`,
  list: `Usage: veil list [--status S] [--type T] [--external-id ID] [--folder NAME] [--current] [--limit N] [--json]

Lists the newest media, one per line: ID, status, upload time and name, separated by tabs. With --json, folder
and metadata are included.

  -s, --status S         only this status: ${MEDIA_STATUSES.join(", ")}
      --type T           only image or video
      --external-id ID   only media that were uploaded with this ID of yours
      --folder NAME      only media from this folder
      --current          only the current version of each file
  -n, --limit N          how many (default 20)
${CONNECTION}`,
  get: `Usage: veil get <media id> … [--json]

Shows media, one per line: ID, status, upload time, name, the reason if it failed, and the options of the upload that
differ from the defaults, its folder and its metadata; separated by tabs. With --json, regions are shown in full.

${CONNECTION}`,
  retry: `Usage: veil retry <media id> … [--json]

Tries failed media again, from their stored sources and with the same settings. Prints the ID of each failed media item and
that of its retry, which veil download waits for. veil get shows why a media item failed.

  veil retry 019a9c4e-6f1a-7c11-8f8e-0d2b5c3c9a10

${CONNECTION}`,
  usage: `Usage: veil usage [--json]

Shows how much of its plan the account has used in this billing period.

${CONNECTION}`,
  delete: `Usage: veil delete <media id> … [--json]

Deletes media and all their files, immediately and permanently.

${CONNECTION}`,
  deletions: `Usage: veil deletions [<media id> …] [--limit N] [--json]

Lists deletions of the past year, the latest first: ID, what is left, time, who deleted it, and name, separated by tabs.

  -n, --limit N          how many (default 20)
${CONNECTION}`,
  completion: `Usage: veil completion bash|zsh|fish

Prints a script that completes commands and options; your shell loads it at its start:

  eval "$(veil completion bash)"        in ~/.bashrc
  eval "$(veil completion zsh)"         in ~/.zshrc, after compinit
  veil completion fish | source         in ~/.config/fish/config.fish
`,
} as const;
