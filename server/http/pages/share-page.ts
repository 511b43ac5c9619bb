import { createHash } from 'node:crypto'
import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import { publicSharePrefix } from '@sandbox-jobs/contract/routes/prefixes.ts'
import type { SharedFile, ShareView } from '../../runs/links/share-view.ts'
import { Html, html } from '../reference/html.ts'
import { csvRows } from './csv-rows.ts'
import { formPage } from './form-page.ts'
import { tableOf, valueView } from './value-view.ts'

/** All that the page is styled with; it stands in the page, which so loads nothing but the images of the result. */
const style = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --link: light-dark(#0550ae, #79c0ff) }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1rem; overflow-wrap: anywhere }
h1 { margin: 0 }
a { color: var(--link) }
.soft { opacity: 0.7 }
.state { background: var(--soft); border-radius: 4px; padding: 0.1em 0.5em }
section { border-top: 1px solid var(--line); padding: 0.75rem 0 }
.wide { margin: 0.5rem 0; overflow-x: auto }
table { border-collapse: collapse }
caption { font-weight: bold; text-align: left }
th, td { border-bottom: 1px solid var(--line); padding: 0.25rem 0.75rem 0.25rem 0; text-align: left; vertical-align: top }
ul { margin: 0; padding-left: 1.25rem }
figure { border-top: 1px solid var(--line); margin: 0; padding: 0.75rem 0 }
img { background: #fff; border-radius: 6px; height: auto; max-height: 80vh; max-width: 100% }
.fields th { font-weight: normal; opacity: 0.7; width: 12rem }
.fields td { white-space: pre-wrap }
pre { background: var(--soft); border-radius: 4px; overflow-x: auto; padding: 0.75rem; white-space: pre-wrap }
summary { cursor: pointer }
summary:focus-visible, a:focus-visible { outline: 2px solid var(--link) }
`

/** The page runs no script, sends no form and may not be framed; its images come from the share itself. */
export const sharePageHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-robots-tag': 'noindex, nofollow',
}

const csvBounds = { rows: 101, columns: 30 }

/** The result of a run as one page that reads on a phone, in light and in dark. */
export function sharePage(view: ShareView, token: string): string {
  const title = plainText(view.title)
  const when = view.endedAt ?? view.queuedAt
  const isShownFirst = ({ preview }: SharedFile) => preview?.kind === 'image'
  const images = view.files.filter(isShownFirst)
  const others = view.files.filter((file) => !isShownFirst(file))
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Html(style)}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p>${view.sender === undefined ? '' : html`<b>${plainText(view.sender)}</b> `}<span class="state">${stateText(view.status)}</span> <time datetime="${when.toISOString()}">${timeText(when)}</time></p>
</header>
<main>
${images.map((file) => imageView(file, token))}
${output(view, token)}
${view.remarks.map((remark) => html`<p>${plainText(remark)}</p>`)}
${others.length === 0 ? '' : html`<section><h2>Files</h2>${others.map((file) => fileView(file, token))}</section>`}
${view.more > 0 ? html`<p class="soft">and ${view.more} more files</p>` : ''}
</main>
<footer class="soft"><p>Shared until ${timeText(view.expiresAt)}. A program made this content.</p></footer>
</body>
</html>
`.text
}

const stateText = (status: string): string => status.replaceAll('_', ' ')
const timeText = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`

function output({ output: shown, endedAt }: ShareView, token: string): Html {
  if (!shown)
    return html`<section><p>${endedAt ? 'It left no output.' : 'It has not ended yet.'}</p></section>`
  const address = `${publicSharePrefix}/${token}/output`
  const body =
    shown.format === 'json'
      ? valueView(shown.json)
      : shown.format === 'text'
        ? html`<pre>${plainText(shown.text ?? '')}</pre>`
        : html`<p class="soft">It is not shown here.</p>`
  return html`<section><h2>Result</h2>${body}<p><a href="${address}" download>Download</a> <span class="soft">${sizeText(shown.byte_size)}</span></p></section>`
}

function imageView({ id, path, byteSize }: SharedFile, token: string): Html {
  const address = `${publicSharePrefix}/${token}/${id}`
  const name = plainText(path)
  return html`<figure><img src="${address}?show=true" alt="${name}" loading="lazy">
<figcaption><a href="${address}" download>${name}</a> <span class="soft">${sizeText(byteSize)}</span></figcaption></figure>`
}

function fileView({ id, path, byteSize, preview }: SharedFile, token: string): Html {
  const address = `${publicSharePrefix}/${token}/${id}`
  const name = plainText(path)
  const head = html`<p><a href="${address}" download>${name}</a> <span class="soft">${sizeText(byteSize)}</span></p>`
  if (!preview || preview.kind === 'image') return head
  const note = preview.isCut
    ? html`<p class="soft">Only the start is shown; the download is complete.</p>`
    : ''
  if (preview.kind === 'text')
    return html`${head}<details><summary>Show</summary><pre>${plainText(preview.text)}</pre>${note}</details>`
  const rows = csvRows(preview.text, csvBounds)
  return html`${head}<details open><summary>Table</summary>${tableOf('', rows, rows.length === csvBounds.rows ? 1 : 0)}${note}</details>`
}

const units = ['bytes', 'KiB', 'MiB', 'GiB']

function sizeText(bytes: number): string {
  let [size, unit] = [bytes, 0]
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024
    unit += 1
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`
}

/** In the same words for a link that never was: nobody learns which tokens were good once. */
export const deadLinkPage = (): string =>
  formPage(
    'This link does not work',
    html`<p>It has expired, it was revoked, or a part of it is missing.</p>
<p>Ask whoever sent it for a new one.</p>`,
  )
