/** Pages of the repository are imported as their text, by the rule for text modules in `wrangler.toml`. */
declare module "*.md" {
  const text: string;
  export default text;
}

/** Pictures of guides are imported as their bytes. */
declare module "*.webp" {
  const bytes: ArrayBuffer;
  export default bytes;
}
