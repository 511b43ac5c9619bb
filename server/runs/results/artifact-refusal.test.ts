import { expect, it } from 'vitest'
import { refusalLine, refusalOf } from './artifact-refusal.ts'

const rejected = (reason: string, path?: string) => {
  const named = path === undefined ? {} : { path }
  const refusal = refusalOf({ status: 'rejected', reason, files: [], ...named })
  return refusal && { ...refusal, line: refusalLine(refusal) }
}

it('names the file that broke the rule', () => {
  expect(rejected('symlink', 'a/l')?.line).toBe(
    '\n[sandbox] No artifact was kept: "a/l" is a symbolic link; leave a copy of what it points to (symlink).\n',
  )
  expect(rejected('symlink')?.line).toContain('one of them is a symbolic link')
  expect(rejected('storage')?.line).toContain('the host had no room for them')
  expect(rejected('new_rule', 'a')?.line).toContain('they break a rule (new_rule)')
})

it('shows any name on one line, bounded, and without marks that deceive', () => {
  const hostile = Buffer.from('a\n\t\u0000\u001b\u202eb').toString('latin1')
  expect(rejected('control_character', hostile)?.path).toBe('a\\n\\t\\u{0000}\\u{001b}\\u{202e}b')
  expect(rejected('path_not_utf8', '\xff\xfe')?.path).toBe('��')
  const long = rejected('special_file', '\u0001'.repeat(255))?.path ?? ''
  expect(long).toMatch(/^….*\\u\{0001\}$/)
  expect(long).toHaveLength(300)
  expect(rejected('special_file', Buffer.from('😀'.repeat(300)).toString('latin1'))?.path).toSatisfy(
    (path: string) => path.isWellFormed() && path.length <= 300,
  )
})

it('is nothing where no tree was refused', () => {
  expect(refusalOf(null)).toBeUndefined()
  expect(refusalOf({ status: 'collected', reason: '', files: [] })).toBeUndefined()
})
