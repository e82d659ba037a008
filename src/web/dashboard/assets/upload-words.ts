/** A number with its noun. */
export function counted(number: number, singular: string, plural: string = `${singular}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? singular : plural}`;
}

/** A size in bytes, in the decimal unit that fits it. */
export function shownSize(sizeBytes: number) {
  if (sizeBytes < 1000) return counted(sizeBytes, "byte");
  const unit = sizeBytes < 1e6 ? "kB" : sizeBytes < 1e9 ? "MB" : "GB";
  const size = sizeBytes / { kB: 1e3, MB: 1e6, GB: 1e9 }[unit];
  return `${size >= 100 ? Math.round(size) : size.toFixed(1)} ${unit}`;
}

/** The remaining time, rounded as people say it. */
export function timeLeft(seconds: number) {
  if (seconds < 10) return "a few seconds left";
  if (seconds < 60) return `about ${Math.ceil(seconds / 5) * 5} s left`;
  if (seconds < 3600) return `about ${Math.ceil(seconds / 60)} min left`;
  return `about ${(seconds / 3600).toFixed(1)} h left`;
}

/** A number of files in words: photos if all are photos, videos if all are videos. */
export function shownFiles(files: readonly { readonly isVideo: boolean }[]) {
  const videos = files.filter(({ isVideo }) => isVideo).length;
  if (videos === 0) return counted(files.length, "photo");
  return counted(files.length, videos === files.length ? "video" : "file");
}
