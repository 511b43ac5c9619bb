import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { expect, test } from 'vitest'
import type { TaskSource } from './read-task-file.ts'
import { contentOf, hasContent } from './task-content.ts'
import { checkTaskFile } from './task-file.ts'

const source: TaskSource = {
  task: checkTaskFile(
    { name: 'a', environment: 'b', work_script: 'w', ordinary_env: { B: '2', A: '1' } },
    't',
  ),
  startupScript: '',
  workScript: 'echo hi\n',
  inputSchema: null,
  inputExample: null,
  scheduleInputs: [],
}
const content = contentOf(source, { environmentVersionId: 'ver_1', outputPolicy: null })
const published = { ...content, state: 'published', source_visible: true } as unknown as TaskVersion

test('a version with the same content needs no new one', () => {
  expect(hasContent(published, content)).toBe(true)
  expect(hasContent({ ...published, ordinary_env: { A: '1', B: '2' }, startup_script: null }, content)).toBe(
    true,
  )
})

test('any difference needs a new version, and so do hidden sources', () => {
  expect(hasContent({ ...published, work_script: 'echo ho\n' }, content)).toBe(false)
  expect(hasContent({ ...published, timeout_seconds: 1 }, content)).toBe(false)
  expect(hasContent({ ...published, environment_version_id: 'ver_2' }, content)).toBe(false)
  expect(hasContent({ ...published, source_visible: false }, content)).toBe(false)
  expect(hasContent({ ...published, state: 'archived' }, content)).toBe(false)
})
