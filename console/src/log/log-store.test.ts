import { describe, expect, test } from 'vitest'
import type { LogReply, LogRow } from './log-messages.ts'
import { matchingLinesMax } from './log-search.ts'
import { LogStore } from './log-store.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** A store that has done all of its work. */
function storeOf(log: string, { isEnded = true } = {}): LogStore {
  const store = new LogStore()
  store.take({ kind: 'bytes', chunk: bytesOf(log) })
  if (isEnded) store.take({ kind: 'end' })
  return worked(store)
}

function worked(store: LogStore): LogStore {
  while (store.work());
  return store
}

const blockOf = (store: LogStore, block = 0) =>
  store.take({ kind: 'rows', block })[0] as Extract<LogReply, { kind: 'rows' }>

const textOfRow = (row: LogRow | undefined) => row?.pieces.map(({ text }) => text).join('')
const textsOf = (store: LogStore, block = 0) => blockOf(store, block).rows.map(textOfRow)

const stateOf = (store: LogStore) => (store.report()[0] as Extract<LogReply, { kind: 'state' }>).state

function search(store: LogStore, text: string, isExpression = false) {
  store.take({ kind: 'search', id: 1, query: { text, isExpression } })
  return found(worked(store))
}

function found(store: LogStore) {
  const { found: answer } = store.report()[1] as Extract<LogReply, { kind: 'found' }>
  return { ...answer, lines: [...answer.lines] }
}

describe('rows', () => {
  test('are the lines of a log, in blocks', () => {
    const store = storeOf(Array.from({ length: 600 }, (_, at) => `line ${at}`).join('\n'))
    expect(stateOf(store)).toMatchObject({ rows: 600, lines: 600, isWhole: true, isTail: false })
    expect(textsOf(store, 2)).toHaveLength(88)
    expect(textsOf(store, 2)[0]).toBe('line 512')
    expect(blockOf(store, 1).finalRows).toBe(256)
  })

  test('may change while the log grows', () => {
    const store = storeOf('one\ntw', { isEnded: false })
    expect(blockOf(store)).toMatchObject({ finalRows: 1 })
    store.take({ kind: 'bytes', chunk: bytesOf('o\nthree') })
    expect(textsOf(store)).toEqual(['one', 'two', 'three'])
  })

  test('of a block that no log has are none', () => {
    expect(textsOf(storeOf('one'), 1e9)).toEqual([])
  })

  test('keep their colours when they are wrapped', () => {
    const store = storeOf('\u001b[31mabcdefghij\u001b[0mklmno\nnext')
    store.take({ kind: 'arrange', arrangement: { columns: 8, onlyMatching: false } })
    worked(store)
    expect(blockOf(store).rows).toMatchObject([
      { line: 0, part: 0, pieces: [{ text: 'abcdefgh', graphics: { colour: 1 } }] },
      { line: 0, part: 1, pieces: [{ text: 'ij', graphics: { colour: 1 } }, { text: 'klmno' }] },
      { line: 1, part: 0, pieces: [{ text: 'next' }] },
    ])
    expect(store.take({ kind: 'ask', id: 5, about: 'row_of', line: 1 })).toEqual([
      { kind: 'answer', id: 5, value: 2 },
    ])
  })

  test('are wrapped again where a line has grown', () => {
    const store = storeOf('abcdefgh', { isEnded: false })
    store.take({ kind: 'arrange', arrangement: { columns: 8, onlyMatching: false } })
    expect(stateOf(worked(store)).rows).toBe(1)
    store.take({ kind: 'bytes', chunk: bytesOf('ij\nk') })
    expect(stateOf(worked(store)).rows).toBe(3)
    expect(textsOf(store)).toEqual(['abcdefgh', 'ij', 'k'])
  })
})

describe('the end of a log', () => {
  test('is shown until all of it is here, from its first whole line on', () => {
    const store = new LogStore()
    store.take({ kind: 'tail', chunk: bytesOf('f a line\nlast but one\n') })
    store.take({ kind: 'tail', chunk: bytesOf('last') })
    store.take({ kind: 'bytes', chunk: bytesOf('the start o') })
    expect(stateOf(worked(store))).toMatchObject({ rows: 2, isTail: true, isWhole: false })
    expect(textsOf(store)).toEqual(['last but one', 'last'])
    store.take({ kind: 'bytes', chunk: bytesOf('f a line\nlast but one\nlast') })
    store.take({ kind: 'end' })
    expect(stateOf(worked(store))).toMatchObject({ rows: 3, isTail: false, isWhole: true })
    expect(textsOf(store)[0]).toBe('the start of a line')
  })
})

describe('a search', () => {
  test('finds each line once and marks what matches, whatever its case', () => {
    const store = storeOf('An Error\nfine\nerror, \u001b[31merr\u001b[0mor')
    expect(search(store, 'ERROR')).toMatchObject({ lines: [0, 2], isDone: true, isInvalid: false })
    expect(blockOf(store).rows[2]?.pieces).toEqual([
      { text: 'error', isMatch: true },
      { text: ', ' },
      { text: 'err', graphics: { colour: 1, background: -1, flags: 0 }, isMatch: true },
      { text: 'or', isMatch: true },
    ])
  })

  test('finds no escape sequence and nothing that was overwritten', () => {
    const store = storeOf('\u001b[31mred\n31m\n10 %\r20 %')
    expect(search(store, '31m').lines).toEqual([1])
    expect(search(store, '10').lines).toEqual([])
    expect(search(store, '20').lines).toEqual([2])
  })

  test('takes signs of expressions as they are, unless it is one', () => {
    const store = storeOf('a.b\naxb\n')
    expect(search(store, 'a.b').lines).toEqual([0])
    expect(search(store, 'a.b', true).lines).toEqual([0, 1])
    expect(search(store, '^.?b$', true).lines).toEqual([])
    const query = { text: '(', isExpression: true }
    expect(store.take({ kind: 'search', id: 2, query })).toMatchObject([{}, { found: { isInvalid: true } }])
  })

  test('goes on while the log grows', () => {
    const store = storeOf('hit\nmiss\n', { isEnded: false })
    expect(search(store, 'hit').lines).toEqual([0])
    store.take({ kind: 'bytes', chunk: bytesOf('another hit\nthe last h') })
    expect(found(worked(store)).lines).toEqual([0, 2])
    store.take({ kind: 'bytes', chunk: bytesOf('it') })
    store.take({ kind: 'end' })
    expect(found(worked(store)).lines).toEqual([0, 2, 3])
  })

  test('shows the matching lines alone, also wrapped, with their numbers', () => {
    const store = storeOf('no\nyes one\nno\nyes two and more\n')
    search(store, 'yes')
    store.take({ kind: 'arrange', arrangement: { columns: 8, onlyMatching: true } })
    worked(store)
    expect(blockOf(store).rows.map((row) => [row.line, textOfRow(row)])).toEqual([
      [1, 'yes one'],
      [3, 'yes two '],
      [3, 'and more'],
    ])
  })

  test('lists a bounded number of lines and says that there are more', () => {
    const store = storeOf('x\n'.repeat(matchingLinesMax + 5000))
    const { lines, isFull } = search(store, 'x')
    expect([lines.length, isFull]).toEqual([matchingLinesMax, true])
  })

  test('matches nothing for ever', () => {
    const store = storeOf('aaa\n\nb')
    expect(search(store, 'x*', true).lines).toEqual([0, 1, 2])
    expect(textsOf(store)).toEqual(['aaa', '', 'b'])
  })
})

test('the first failure is the first line with a word for one', () => {
  const ask = (log: string) => storeOf(log).take({ kind: 'ask', id: 1, about: 'first_failure' })
  expect(ask(`${'fine\n'.repeat(5000)}Traceback (most recent call last)\nValueError`)).toMatchObject([
    { value: 5000 },
  ])
  expect(ask('all is well')).toMatchObject([{ value: undefined }])
})

test('copied text has no sequences, no numbers and a bounded size', () => {
  const store = storeOf('one\n\u001b[31mtwo\u001b[0m\u202e\nthree\nfour')
  const copy = (first: number, last: number) =>
    (
      store.take({ kind: 'ask', id: 1, about: 'text', first, last })[0] as Extract<
        LogReply,
        { kind: 'answer' }
      >
    ).value
  expect(copy(1, 2)).toBe('two\ufffd\nthree')
  expect(copy(3, 1e9)).toBe('four')
  expect(copy(9, 12)).toBe('')
})
