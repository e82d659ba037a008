/** Style and scripts are imported as the text that is sent, by the rule for text modules in `wrangler.toml`. */
declare module "*.css" {
  const text: string;
  export default text;
}
declare module "*.js" {
  const text: string;
  export default text;
}
