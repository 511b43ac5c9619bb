import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { loadSpeech, SpeechProvider } from '../texts/texts.tsx'

vi.stubGlobal('location', new URL('https://jobs.example/console/'))
const { OutputView } = await import('./output-view.tsx')
const { FilePreview } = await import('./file-preview.tsx')
const speech = await loadSpeech('en')

const markup = (part: ReactNode) =>
  renderToStaticMarkup(<SpeechProvider speech={speech}>{part}</SpeechProvider>)

test('an output has its fields, a table for each list of objects, and all of it as a tree', () => {
  const html = markup(<OutputView value={{ total: 3, rows: [{ id: 1 }, { id: 2 }], deep: { a: 1 } }} />)
  expect(html).toMatch(/<dt><bdi>total<\/bdi><\/dt><dd><code[^>]*>3<\/code><\/dd>/)
  expect(html).toContain('role="grid" aria-label="rows"')
  expect(html).toContain('role="tree" aria-label="Output"')
  expect(html).toContain('<details open="">')
})

test.each(['<b>text</b>', 5, null])('an output that is %j alone is shown as it is', (value) => {
  const html = markup(<OutputView value={value} />)
  expect(html).toContain(value === '<b>text</b>' ? '&lt;b&gt;text&lt;/b&gt;' : `>${JSON.stringify(value)}<`)
  expect(html).not.toContain('<b>')
})

test('a file too large to show has its name, its size and its download alone', () => {
  const read = vi.fn<() => Promise<Response>>()
  const html = markup(
    <FilePreview
      name={'<img>\u202e.png'}
      bytes={100 * 1024 ** 2}
      read={read}
      download={<button type="button">Get</button>}
    />,
  )
  expect(html).toContain('&lt;img&gt;\ufffd.png')
  expect(html).toContain('100 MiB')
  expect(html).toContain('Files above 64.0 MiB are not shown here.')
  expect(html).toContain('>Get</button>')
  expect(read).not.toHaveBeenCalled()
})
