/** The complete style of the page. It is inline, so that the page loads nothing else. */
export const style = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --link: light-dark(#0550ae, #79c0ff) }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 70rem; padding: 1rem }
a { color: var(--link) }
code { font: 0.9em ui-monospace, monospace; overflow-wrap: anywhere }
nav ul { columns: 18rem; list-style: none; padding: 0 }
section { border-top: 1px solid var(--line); padding: 0.5rem 0 }
h3 { margin: 0.5rem 0 0 }
h4 { margin: 0.75rem 0 0.25rem }
summary { cursor: pointer }
summary:focus-visible, a:focus-visible { outline: 2px solid var(--link) }
table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid var(--line); font-weight: normal; padding: 0.25rem 0.5rem; text-align: left; vertical-align: top }
th { width: 14rem }
.method { background: var(--soft); border-radius: 4px; font-weight: bold; padding: 0 0.4em }
@media (max-width: 40rem) { th { width: auto } }
`
