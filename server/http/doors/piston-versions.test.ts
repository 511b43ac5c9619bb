import { expect, it } from 'vitest'
import { selectRuntime, versionSelector } from './piston-versions.ts'

const versions = ['3.12.1', '3.9.4', '2.7.18', '0.3.2', '0.3.9']
const runtimes = versions.map((version) => ({
  language: 'python',
  version,
  aliases: ['py'],
  environment_version_id: '',
  run_command: '',
  compile_command: null,
}))
const selected = (version: string, language = 'py') => selectRuntime(runtimes, { language, version })?.version

it.each([
  ['3.12.1', '3.12.1'],
  ['3.9.4', '3.9.4'],
  ['*', '3.12.1'],
  ['3', '3.12.1'],
  ['3.x', '3.12.1'],
  ['3.9', '3.9.4'],
  ['3.9.x', '3.9.4'],
  ['v2.7.18', '2.7.18'],
  ['^3.9.0', '3.12.1'],
  ['~3.9.0', '3.9.4'],
  ['^0.3.0', '0.3.9'],
  ['>=2', '3.12.1'],
  ['=3.9.4', '3.9.4'],
])('the selector %s gives the newest version that it names, %s', (selector, version) => {
  expect(selected(selector)).toBe(version)
})

it.each(['3.10', '4', '^3.13', '3.12.1.0', 'latest', '', '>3', '9'.repeat(12)])(
  'the selector %j names none',
  (selector) => {
    expect(selected(selector)).toBeUndefined()
  },
)

it('looks at the language too', () => {
  expect(selected('*', 'ruby')).toBeUndefined()
  expect(versionSelector('3')?.('30.0.0')).toBe(false)
})
