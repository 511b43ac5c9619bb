import type { Operation } from './api-document.ts'
import { caller, whenChanged } from './caller.ts'
import { button, element } from './elements.ts'
import { curlSample, type Filled, fetchSample, sdkSample } from './samples.ts'

const kinds = { curl: curlSample, JavaScript: fetchSample, SDK: sdkSample }
type Kind = keyof typeof kinds

/** The reader's choice, for all samples of the page. */
let chosen: Kind = 'curl'
const views = new Set<() => void>()

/** The same request in each language, one of which shows. `update` when what `filled` returns has changed. */
export function sampleTabs(
  operation: Operation,
  filled: () => Filled,
): { view: HTMLElement; update: () => void } {
  const base = new URL('.', location.href).href.replace(/\/$/, '')
  const code = element('code')
  const pre = element('pre', { tabindex: '0' }, code)
  const text = (credential: Filled['credential']) => {
    try {
      return kinds[chosen](base, operation, { ...filled(), credential })
    } catch {
      return 'The body is not JSON.'
    }
  }
  const tabs = Object.keys(kinds).map((kind) =>
    button(kind, () => {
      chosen = kind as Kind
      for (const update of views) update()
    }),
  )
  const copied = button('Copy', () => {
    copy(code, text(caller.credential))
      .then(() => {
        copied.textContent = 'Copied'
        setTimeout(() => copied.replaceChildren('Copy'), 1500)
      })
      .catch(() => {})
  })
  copied.className = 'copy'
  const update = () => {
    code.textContent = text(masked(caller.credential))
    for (const tab of tabs) tab.setAttribute('aria-pressed', String(tab.textContent === chosen))
  }
  views.add(update)
  whenChanged(update)
  update()
  const bar = element('div', { class: 'tabs', role: 'group', 'aria-label': 'Sample as' }, ...tabs, copied)
  return { update, view: element('div', { class: 'samples' }, bar, pre) }
}

/** As it is shown: whoever looks at the screen learns no key. A copy has the whole. */
const masked = (credential: Filled['credential']): Filled['credential'] =>
  credential && { ...credential, value: `${credential.value.slice(0, 4)}…` }

/** The clipboard can be written only on pages that came over TLS or from this machine; others select the text. */
async function copy(place: HTMLElement, text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  place.textContent = text
  getSelection()?.selectAllChildren(place)
}
