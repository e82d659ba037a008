/** Pages of the repository are imported as their text, by the rule for text modules in `wrangler.json`. */
declare module "*.md" {
  const text: string;
  export default text;
}
