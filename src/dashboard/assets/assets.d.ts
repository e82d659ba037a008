/** The style as it is sent, by the rule for text modules in `wrangler.toml`. */
declare module "*/dashboard.css" {
  const text: string;
  export default text;
}
