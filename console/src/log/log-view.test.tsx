import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { loadSpeech, SpeechProvider } from '../texts/texts.tsx'
import { LogLine } from './log-line.tsx'
import type { LogRow } from './log-messages.ts'

vi.stubGlobal('location', new URL('https://jobs.example/console/'))
const { LogView } = await import('./log-view.tsx')

const speech = await loadSpeech('en')
const line = (row: LogRow) => (
  <LogLine row={row} numberColumns={4} isSelected={false} isMatched={false} href="#L1" cut={false} />
)

test('a log has a name, its search and its list before anything is read', () => {
  const markup = renderToStaticMarkup(
    <SpeechProvider speech={speech}>
      <LogView label="Log of the run" source={{ kind: 'live', address: '/log' }} />
    </SpeechProvider>,
  )
  expect(markup).toContain('<section')
  expect(markup).toContain('aria-label="Search in the log"')
  expect(markup).toContain('role="region" aria-label="Log of the run" tabindex="0"')
})

test('a line is text, whatever was printed, and its number is a link', () => {
  const pieces = [
    { text: '<img src=x onerror=alert(1)>', graphics: { colour: 1, background: -1, flags: 1 } },
    { text: 'javascript:alert(1)', isMatch: true },
  ]
  const markup = renderToStaticMarkup(line({ line: 0, part: 0, pieces }))
  expect(markup).toContain('>1</a>')
  expect(markup).toContain(
    '<span style="color:var(--ansi-red);font-weight:600">&lt;img src=x onerror=alert(1)&gt;</span><mark>javascript:alert(1)</mark>',
  )
})

test('the second row of a wrapped line has no number', () => {
  expect(renderToStaticMarkup(line({ line: 7, part: 1, pieces: [{ text: 'rest' }] }))).not.toContain('<a')
})
