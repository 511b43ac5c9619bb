import { expect, test } from 'vitest'
import { terminalText } from './terminal.ts'

test('the terminal shows warnings and worse, with their reason', () => {
  expect(terminalText('{"level":30,"msg":"listening"}')).toBeUndefined()
  expect(terminalText('{"level":40,"msg":"slow"}')).toBe('warning: slow')
  expect(terminalText('{"level":50,"msg":"claim failed","err":{"message":"no database"}}')).toBe(
    'error: claim failed (no database)',
  )
  const failed = (error: string) => terminalText(`{"level":50,"msg":"request failed","error":${error}}`)
  expect(failed('"no room"')).toBe('error: request failed (no room)')
  expect(failed('{"message":"no row","stack":"Error: no row","code":"23505"}')).toBe(
    'error: request failed (no row)',
  )
  expect(failed('{"code":7}')).toBe('error: request failed ({"code":7})')
  expect(failed('null')).toBe('error: request failed')
})

test('the terminal shows the message of a crash without its frames', () => {
  const crash = [
    'node:internal/x:1',
    '    throw error',
    '    ^',
    '',
    'Error: no such file',
    '    at x.ts:1',
    '}',
    'Node.js v24.21.0',
  ]
  expect(crash.map(terminalText).filter((line) => line !== undefined)).toEqual(['Error: no such file'])
})

test('a line that only looks like a log line is shown unchanged', () => {
  expect(terminalText('{"level":')).toBe('{"level":')
})
