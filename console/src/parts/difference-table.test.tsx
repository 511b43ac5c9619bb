import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { loadSpeech, SpeechProvider } from '../texts/texts.tsx'
import { DifferenceTable } from './difference-table.tsx'

const speech = await loadSpeech('en')

/** The cells of a line with these values. */
const cells = (before: string | undefined, after: string | undefined) =>
  renderToStaticMarkup(
    <SpeechProvider speech={speech}>
      <DifferenceTable before="1" after="2" rows={[{ name: 'Size', before, after }]} />
    </SpeechProvider>,
  )
    .split('</th>')
    .at(-1)

test.each([
  ['1 MiB', '1 MiB', ['1 MiB', 'the same'], false],
  ['1 MiB', '2 MiB', ['1 MiB', '2 MiB'], true],
  [undefined, '2 MiB', ['not known', '2 MiB'], false],
  [undefined, undefined, ['not known', 'not known'], false],
])('%j beside %j reads %j', (before, after, expected, isMarked) => {
  const markup = cells(before, after) ?? ''
  expect(
    markup
      .replaceAll(/<[^>]+>/g, ' ')
      .split(/\s{2,}/)
      .filter(Boolean),
  ).toEqual(expected)
  expect(markup.includes('data-tone')).toBe(isMarked)
})
