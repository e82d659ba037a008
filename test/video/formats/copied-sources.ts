import type { Format } from "./format.ts";
import { AAC, picture, tone } from "./ingredients.ts";

const FILM = `${picture("160x96", 12)} ${tone(12)}`;

function source(container: Format["container"], property: string, encoder: string): Format {
  const args = `${FILM} -c:v libx264 -pix_fmt yuv420p ${encoder} ${AAC}`;
  return { container, video: "H.264", audio: "AAC", property, recipe: { args } };
}

/** Films of twelve seconds whose groups of pictures are closed, so that their packets can stand in the output. */
export const COPIED: readonly Format[] = [
  source("MP4", "Baseline without reordered frames", "-preset ultrafast -profile:v baseline -g 50"),
  source("MP4", "High with reordered frames", "-preset veryfast -bf 3 -b_strategy 0 -g 50"),
  source(
    "QuickTime",
    "Main with reordered frames and slices",
    "-preset veryfast -profile:v main -bf 2 -slices 3 -g 25",
  ),
  source("Matroska", "High with reordered frames", "-preset veryfast -bf 3 -b_strategy 0 -g 50"),
];
