/** The coded size of a video's frames and the area of them that its container shows, in pixels. */
export interface ShownArea {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly codedWidth: number;
  readonly codedHeight: number;
}

/** Whether the container hides a part of the frames. */
export function isCropped({ width, height, codedWidth, codedHeight }: ShownArea): boolean {
  return width < codedWidth || height < codedHeight;
}
