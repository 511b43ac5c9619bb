import { expect, test } from 'vitest'
import { bodyOf, type DoorDraft, isComplete, newLanguage } from './door-draft.ts'

const language = { ...newLanguage(1), language: ' python ', environmentVersion: 'ver_1' }
const draft: DoorDraft = {
  name: 'Dify',
  kind: 'dify',
  languages: [language],
  hasNetwork: true,
  timeout: '30',
}

test('what is left empty is left to the service', () => {
  expect(bodyOf(draft)).toEqual({
    name: 'Dify',
    kind: 'dify',
    network: true,
    timeout_seconds: 30,
    runtimes: [{ language: 'python', environment_version_id: 'ver_1' }],
  })
})

test('a version and a command are sent', () => {
  const typed = { ...language, version: '3.12.0', command: 'exec python3 "$@"' }
  expect(bodyOf({ ...draft, languages: [typed] }).runtimes).toEqual([
    {
      language: 'python',
      version: '3.12.0',
      environment_version_id: 'ver_1',
      run_command: 'exec python3 "$@"',
    },
  ])
})

test('a door needs a name, and each language an environment', () => {
  expect(isComplete(draft)).toBe(true)
  expect(isComplete({ ...draft, name: ' ' })).toBe(false)
  expect(isComplete({ ...draft, languages: [language, newLanguage(2)] })).toBe(false)
})
