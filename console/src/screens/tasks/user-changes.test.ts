import { expect, test } from 'vitest'
import { userChanges } from './user-changes.ts'

const version = {
  input_schema: '{"type":"object","properties":{"a":{}}}',
  input_instructions: null,
  secret_slot_names: ['A'],
  requires_confirmation: false,
  timeout_seconds: 60,
  environment_version_id: 'ver_1',
}

test('versions that differ in scripts alone change nothing for users', () => {
  expect(userChanges(version, { ...version })).toEqual([])
})

test('a schema with other spaces is the same form', () => {
  const spaced = JSON.stringify(JSON.parse(version.input_schema), null, 2)
  expect(userChanges(version, { ...version, input_schema: spaced })).toEqual([])
})

test('fields, secrets, time, environment and instructions are named', () => {
  const newer = {
    input_schema: '{"type":"object","properties":{"a":{},"b":{}}}',
    input_instructions: 'b: a number',
    secret_slot_names: ['B'],
    requires_confirmation: true,
    timeout_seconds: 30,
    environment_version_id: 'ver_2',
  }
  expect(userChanges(version, newer)).toEqual([
    { kind: 'field', change: { kind: 'added', path: 'b' } },
    { kind: 'new_secrets', names: ['B'] },
    { kind: 'dropped_secrets', names: ['A'] },
    { kind: 'confirmed' },
    { kind: 'timeout', before: 60, after: 30 },
    { kind: 'environment' },
    { kind: 'instructions' },
  ])
})

test('a schema that differs in no field is named as a whole', () => {
  const stricter = '{"type":"object","properties":{"a":{}},"minProperties":1}'
  expect(userChanges(version, { ...version, input_schema: stricter })).toEqual([{ kind: 'schema' }])
})

test('a schema with another field and other rules has both changes', () => {
  const both = '{"type":"object","properties":{"a":{},"b":{}},"minProperties":1}'
  expect(userChanges(version, { ...version, input_schema: both })).toEqual([
    { kind: 'field', change: { kind: 'added', path: 'b' } },
    { kind: 'schema' },
  ])
})

test('a schema that is new has changes of its fields alone', () => {
  expect(userChanges({ ...version, input_schema: null }, version)).toEqual([
    { kind: 'field', change: { kind: 'added', path: 'a' } },
  ])
})
