/** The complete style of the page. It is inline, so that the page loads nothing else. */
export const style = `
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --link: light-dark(#0550ae, #79c0ff);
  --good: light-dark(#116329, #7ee787); --bad: light-dark(#a40e26, #ffa198) }
* { box-sizing: border-box }
body { background: Canvas; color: CanvasText; font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 90rem; padding: 0 1rem 1rem }
[hidden] { display: none !important }
a { color: var(--link) }
h3 a { color: inherit; text-decoration: none }
code { font: 0.9em ui-monospace, monospace; overflow-wrap: anywhere }
pre { background: var(--soft); border-radius: 6px; max-height: 24rem; overflow: auto; padding: 0.75rem }
.columns { display: grid; gap: 2rem; grid-template-columns: 16rem minmax(0, 1fr) }
nav { align-self: start; max-height: calc(100vh - 4rem); overflow-y: auto; padding-bottom: 2rem; position: sticky; top: 4rem }
nav ul { list-style: none; margin: 0 0 0.5rem; padding: 0 0 0 1rem }
nav a { overflow-wrap: anywhere; text-decoration: none }
nav summary { font-weight: bold }
section { scroll-margin-top: 4rem; border-top: 1px solid var(--line); content-visibility: auto; contain-intrinsic-height: auto 12rem; padding: 0.5rem 0 }
h3 { margin: 0.5rem 0 0 }
h4 { margin: 0.75rem 0 0.25rem }
p { margin: 0.25rem 0 }
summary { cursor: pointer }
:focus-visible { outline: 2px solid var(--link) }
table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid var(--line); font-weight: normal; overflow-wrap: break-word; padding: 0.25rem 0.5rem; text-align: left; vertical-align: top }
th { width: 12rem }
td + td { min-width: 50% }
.method { background: var(--soft); border-radius: 4px; font-weight: bold; padding: 0 0.4em }
.get { color: var(--link) } .post, .put, .patch { color: var(--good) } .delete, .bad { color: var(--bad) } .good { color: var(--good) }
.search { background: Canvas; padding: 0.5rem 0; position: sticky; top: 0; z-index: 1 }
input, textarea, button { background: Field; border: 1px solid var(--line); border-radius: 6px; color: FieldText; font: inherit; max-width: 100%; min-height: 2.5rem; padding: 0.25rem 0.6rem }
button { background: var(--soft); color: CanvasText; cursor: pointer }
#search, .try input:not([type=file]), .try textarea { width: 100% }
.try textarea, .try input { font-family: ui-monospace, monospace }
.try { border: 1px solid var(--line); border-radius: 8px; margin: 0.5rem 0; padding: 0.25rem 1rem 1rem }
.try label { display: block; margin: 0.5rem 0 }
.fields { align-items: end; display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; margin: 0.5rem 0 }
.samples { margin-top: 1rem }
body.searching .schemas, body.searching .start { display: none }
.start section { content-visibility: visible }
nav .start { padding: 0 }
.group { border-top: 1px solid var(--line) }
.group > summary { padding: 0.5rem 0 }
.group > summary h2 { display: inline; font-size: 1.25rem }
.group > summary span { opacity: 0.7 }
.tabs { display: flex; gap: 0.25rem }
.tabs button { min-height: 2rem; padding: 0 0.75rem }
.tabs button[aria-pressed=true] { border-color: var(--link); color: var(--link); font-weight: bold }
.tabs .copy { margin-left: auto }
.samples pre { margin-top: 0.25rem }
select { background: Field; border: 1px solid var(--line); border-radius: 6px; color: FieldText; font: inherit; max-width: 100%; min-height: 2.5rem }
@media (max-width: 48rem) {
  body { overflow-wrap: anywhere }
  .columns { display: block }
  nav { max-height: 40vh; position: static }
  nav a { display: inline-block; padding: 0.25rem 0 }
  table, tbody, tr, th, td { display: block; width: 100% }
  th, td { border: 0; overflow-wrap: anywhere; padding: 0 }
  tr { border-bottom: 1px solid var(--line); padding: 0.5rem 0 }
}
`
