import { formPage } from '../pages/form-page.ts'
import { html } from '../reference/html.ts'

/** In the same words for a link that never was: nobody learns which tokens were good once. */
export const deadLinkPage = (): string =>
  formPage(
    'This link does not work',
    html`<p>It has expired, it was revoked, or a part of it is missing.</p>
<p>Ask whoever sent it for a new one.</p>`,
  )
