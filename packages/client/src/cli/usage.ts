import { REDACTION_CATEGORIES } from "../types.ts";

export const USAGE = `Usage: veil redact <file, folder or glob> … --categories C,C [options]
       veil detect <file> --categories C,C [--sensitivity S] [--json]
       veil detect <media id> [--json]
       veil revise <media id> [--except ID,ID] [--redact ID,ID] [--region X,Y,W,H] -o PATH

redact uploads photos and videos, waits until they are redacted, and writes the redacted files. detect says what is found,
and revise makes a redacted file anew with other things hidden.

  veil redact photo.jpg --categories heads,license_plates -o out.jpg
  veil redact holiday/ "clips/*.mp4" -c all -o redacted/
  veil detect photo.jpg -c heads
  veil revise 019a9c4e-6f1a-7c11-8f8e-0d2b5c3c9a10 --except det_0d2b5c3c9a10_2 --region 0.1,0.2,0.3,0.1 -o out.jpg

  -c, --categories C,C   what to redact; "all", or some of
                         ${REDACTION_CATEGORIES.slice(0, 6).join(", ")},
                         ${REDACTION_CATEGORIES.slice(6).join(", ")}
  -m, --method M         blur (the default) or pixelation
      --sensitivity S    low for fewer false masks, high for fewer misses (default normal)
      --detect-only      look and keep the detections, write no file
      --except ID,ID     of revise: detections that are left open
      --redact ID,ID     of revise: detections that are redacted, or all (the default) or none
      --region X,Y,W,H   of revise: an area that is redacted besides, in fractions of the picture from its left and top; @C
                         behind it says of which category it is, and of a video :START-END in which seconds. May be repeated
      --regions FILE     of revise: a JSON file with a list of regions as the API takes them, such as ones that move
      --audio MODE       of revise, for videos: keep or mute the sound
  -o, --output PATH      the redacted file of a single file, or the folder for those of many; photo.redacted.jpg beside
                         photo.jpg unless given. Folders inside a folder are kept.
  -f, --force            replace files that are there already; a source is never replaced
      --delete           delete each media item from the service once its redacted file is written
  -j, --concurrency N    files processed at once (default 4)
      --timeout SECONDS  how long a file may take after its upload (default 3600)
      --json             a line of JSON on standard output for each file
  -q, --quiet            no progress
      --base-url URL     where the service is, such as https://veil.example.com/api/v1
      --api-key KEY      its key; others on this machine can see it, so VEIL_API_KEY is better
      --allow-http       send key and files unencrypted to another machine
  -h, --help

Without --base-url and --api-key, VEIL_BASE_URL and VEIL_API_KEY are used; without those, the service that npm start
runs on this machine, which .veil/service.json tells of, here, in a folder above, or in VEIL_DIR.

Of a folder, photos and videos are taken by their names (JPEG, PNG, WebP, MP4, QuickTime, WebM), hidden files and those
named *.redacted.* are not. Every other file is skipped and listed. Ctrl+C stops, removes what is half done, and
deletes unfinished media from the service.

Exit codes: 0 all files are redacted, 1 some are not, 2 the command is wrong and nothing was sent,
3 the service cannot be reached or refuses the key, 4 all are redacted but others were skipped, 130 interrupted.
`;
