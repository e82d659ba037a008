/** The size of a video's frames as they are coded, and the part of them that its container shows, in pixels. */
export interface ShownArea {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly codedWidth: number;
  readonly codedHeight: number;
}

/** Whether a part of the frames is not shown. */
export function isCropped({ width, height, codedWidth, codedHeight }: ShownArea): boolean {
  return width < codedWidth || height < codedHeight;
}
