import { createHash } from 'node:crypto'
import type { Proposal } from '@sandbox-jobs/contract/resources/agents/proposal.ts'
import { Html, html } from '../reference/html.ts'

const style = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --accent: light-dark(#0550ae, #79c0ff) }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 45rem; padding: 1rem; overflow-wrap: anywhere }
label { display: block; margin: 0.75rem 0 }
input { box-sizing: border-box; display: block; font: inherit; max-width: 20rem; padding: 0.4rem; width: 100% }
button { font: inherit; margin: 0.5rem 0.75rem 0.5rem 0; padding: 0.4rem 1rem }
button:focus-visible, input:focus-visible { outline: 2px solid var(--accent) }
pre { background: var(--soft); border-radius: 4px; padding: 0.75rem; white-space: pre-wrap }
.problem { border-left: 4px solid #d22; padding-left: 0.75rem }
`

/** The pages run no script, load nothing, send forms only here and may not be framed: nobody clicks without seeing. */
export const confirmPageHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-robots-tag': 'noindex, nofollow',
}

const page = (title: string, body: Html): string =>
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

/** The same for every id: who is not logged in learns nothing of a proposal. */
export const loginPage = (problem?: string): string =>
  page(
    'Confirm a job',
    html`<p>An agent asks to run a job for you. Log in to see it.</p>
${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
<form method="post">
<label>User name <input name="username" autocomplete="username" required autofocus></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<button>Show the job</button>
</form>`,
  )

/** What the person decides about; the summary is made from the stored bytes. */
export const decisionPage = ({ summary, expires_at }: Proposal, login: string): string =>
  page(
    'Run this job?',
    html`<pre>${summary}</pre>
<p>Names and input may be written by others. Until ${expires_at} you can decide.</p>
<form method="post">
<input type="hidden" name="login" value="${login}">
<button name="decision" value="confirm">Run the job</button>
<button name="decision" value="reject">Reject it</button>
</form>`,
  )

const outcomes: Partial<Record<Proposal['state'], string>> = {
  committed: 'The job was started.',
  cancelled: 'The job was rejected. Nothing was started.',
  superseded: 'The agent proposed another job instead. Nothing was started.',
  expired: 'The proposal is too old. Ask the agent again.',
  failed: 'The job cannot be run any more. Nothing was started.',
}

export const outcomePage = ({ state, run_id }: Proposal): string =>
  page(
    'Confirm a job',
    html`<p>${outcomes[state] ?? 'The job is being started.'}</p>
${run_id === null ? '' : html`<p>Run: <code>${run_id}</code></p>`}
<p>You can close this page and go on in the chat.</p>`,
  )

export const problemPage = (problem: string): string =>
  page('Confirm a job', html`<p class="problem" role="alert">${problem}</p>`)
