import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { expect, test } from 'vitest'
import { bodyOf, draftOf, emptyDraft } from './draft.ts'

test('what is left empty is no schema, no example and no instructions', () => {
  const body = bodyOf({ ...emptyDraft, environmentVersion: 'evr_1', work: 'echo 1', schema: ' \n' })
  expect(body).toEqual({
    environment_version_id: 'evr_1',
    work_script: 'echo 1',
    startup_script: '',
    input_schema: null,
    input_example: null,
    input_instructions: null,
    timeout_seconds: 1800,
    secret_slot_declarations: [],
    requires_confirmation: false,
  })
})

test('names of secrets are separated by commas, spaces or lines', () => {
  expect(bodyOf({ ...emptyDraft, secrets: 'A, B\nC ,' }).secret_slot_declarations).toEqual(['A', 'B', 'C'])
})

test('a draft that begins as a version is sends the same again', () => {
  const version = {
    environment_version_id: 'evr_1',
    work_script: 'echo 1',
    startup_script: null,
    input_schema: '{"type":"object"}',
    input_example: null,
    input_instructions: 'a\nb',
    timeout_seconds: 60,
    secret_slot_names: ['A', 'B'],
    requires_confirmation: true,
  } as TaskVersion
  expect(bodyOf(draftOf(version))).toMatchObject({
    work_script: 'echo 1',
    input_schema: '{"type":"object"}',
    input_instructions: 'a\nb',
    timeout_seconds: 60,
    secret_slot_declarations: ['A', 'B'],
    requires_confirmation: true,
  })
})
