declare module "@ffmpeg/core" {
  const createCore: (options: object) => Promise<unknown>;
  export default createCore;
}
