/** The script as it is sent, by the rule for text modules in `wrangler.toml`. */
declare const text: string;
export default text;
