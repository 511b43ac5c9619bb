import { expect, test } from 'vitest'
import { bodyOf, emptyQuickRun } from './quick-run-draft.ts'

test('what is typed is the body of a request', () => {
  const draft = { ...emptyQuickRun, name: 'Count', environmentVersion: 'ver_1', script: 'wc', input: '[1]' }
  expect(bodyOf(draft)).toEqual({
    name: 'Count',
    environment_version_id: 'ver_1',
    work_script: 'wc',
    input: [1],
    timeout_seconds: 300,
  })
})
