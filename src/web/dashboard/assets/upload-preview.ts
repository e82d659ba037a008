/** The most photos with a preview, because decoding takes time and memory. */
const MOST_PREVIEWS = 100;
const MOST_BYTES = 30e6;
const SIDE_PIXELS = 112;

let previews = 0;
const waiting: { readonly file: File; readonly picture: HTMLElement }[] = [];

/** Shows a thumbnail of a local photo in its row, one photo at a time. It is decoded in the browser and not sent. */
export function showPreview(file: File, picture: HTMLElement) {
  if (file.size > MOST_BYTES || ++previews > MOST_PREVIEWS) return;
  waiting.push({ file, picture });
  if (waiting.length === 1) void drawWaiting();
}

async function drawWaiting() {
  for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
    const { file, picture } = next;
    // The result may have arrived first, or the row may be gone. A photo that cannot be shown can still be redacted.
    if (picture.isConnected && picture.querySelector("img") === null)
      await drawPreview(file, picture).catch(() => undefined);
    waiting.shift();
  }
}

async function drawPreview(file: File, picture: HTMLElement) {
  const bitmap = await createImageBitmap(file, { resizeWidth: SIDE_PIXELS, resizeQuality: "medium" });
  const canvas = document.createElement("canvas");
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0);
  bitmap.close();
  if (picture.querySelector("img") === null) picture.replaceChildren(canvas);
}
