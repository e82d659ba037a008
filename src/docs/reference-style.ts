/** Style of the reference page: one column, readable at any width, light and dark. */
export const REFERENCE_STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --line: #d0d7de; --back: #fff; --panel: #f6f8fa; --accent: #0550ae; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #9aa4af; --line: #30363d; --back: #0d1117; --panel: #161b22; --accent: #79c0ff; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--ink); font: 16px/1.6 system-ui, sans-serif; }
main { max-width: 54rem; margin: 0 auto; padding: 2rem 1.25rem 6rem; }
a { color: var(--accent); }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { margin: 3.5rem 0 .5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
h3 { margin: 2rem 0 .25rem; font-size: 1rem; }
p { margin: .5rem 0; }
.soft { color: var(--soft); }
code, pre { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, monospace; }
code { overflow-wrap: anywhere; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .75rem 1rem; overflow-x: auto; }
.method { display: inline-block; min-width: 4.5em; padding: .1em .5em; margin-right: .5em; border: 1px solid currentColor; border-radius: 4px; color: var(--accent); text-align: center; font-weight: 600; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; margin: .5rem 0 1rem; font-size: .9375rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); }
td code { white-space: nowrap; }
th { color: var(--soft); font-weight: 600; }
dl { margin: 1.5rem 0; }
dt { font-weight: 600; }
dd { margin: 0 0 .75rem; }
nav ul { list-style: none; padding: 0; margin: 1rem 0; }
nav li { margin: .25rem 0; }
`;
