import { createHash } from 'node:crypto'
import { Html, html } from '../reference/html.ts'

/* Pages with forms of people who log in on them: to confirm a job, or to let a program act for them. */

const style = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --accent: light-dark(#0550ae, #79c0ff) }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 45rem; padding: 1rem; overflow-wrap: anywhere }
a { color: var(--accent) }
label { display: block; margin: 0.75rem 0 }
input { box-sizing: border-box; display: block; font: inherit; max-width: 20rem; padding: 0.4rem; width: 100% }
button { font: inherit; margin: 0.5rem 0.75rem 0.5rem 0; padding: 0.4rem 1rem }
button:focus-visible, input:focus-visible { outline: 2px solid var(--accent) }
pre { background: var(--soft); border-radius: 4px; padding: 0.75rem; white-space: pre-wrap }
.problem { border-left: 4px solid #d22; padding-left: 0.75rem }
`

const styleSource = `'sha256-${createHash('sha256').update(style).digest('base64')}'`

/**
 * The pages run no script, load nothing and may not be framed: nobody clicks without seeing. Their forms are sent only here,
 * and from here on only to `formTarget`.
 */
export const formPageHeaders = (formTarget = '') => ({
  'content-security-policy': [
    "default-src 'none'",
    `style-src ${styleSource}`,
    "base-uri 'none'",
    `form-action 'self' ${formTarget}`.trim(),
    "frame-ancestors 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-robots-tag': 'noindex, nofollow',
})

export const formPage = (title: string, body: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Html(style)}</style>
</head>
<body>
<h1>${title}</h1>
${body}
</body>
</html>
`.text

/** A message that a screen reader reads at once. */
export const problemLine = (problem: string | undefined): Html =>
  problem === undefined ? html`` : html`<p class="problem" role="alert">${problem}</p>`

export const loginForm = (button: string): Html => html`<form method="post">
<label>User name <input name="username" autocomplete="username" required autofocus></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<button>${button}</button>
</form>`
