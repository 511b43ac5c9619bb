import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { TSchema } from 'typebox'
import { expect, test } from 'vitest'
import { Identifier, idKinds, idPattern } from '../ids.ts'
import { guidanceMaxLength } from '../limits.ts'
import { buildFailures } from './builds/build-failure.ts'
import { ContextUploadInitRequest } from './environments/context-upload.ts'
import { EnvironmentCreateRequest } from './environments/environment.ts'
import { EnvironmentVersionCreateRequest } from './environments/environment-version.ts'
import { Profile, profiles } from './environments/profile.ts'
import { Region, regionsOf } from './environments/region.ts'
import { driverOf, RuntimeContract, runtimeContract } from './environments/runtime-contract.ts'
import { ManualRunSubmitRequest } from './runs/run.ts'
import { failureHint, runFailures } from './runs/run-failure.ts'
import { waitActions } from './runs/run-wait.ts'
import { ShareCreateRequest } from './tasks/share.ts'
import { TaskCreateRequest } from './tasks/task.ts'
import { TaskVersionCreateRequest } from './tasks/task-version.ts'

const ajv = formats.default(new Ajv2020({ strict: false, discriminator: true }))
const accepts = (schema: TSchema, value: unknown): boolean => ajv.compile(schema)(value)

const id = `tvr_${'0'.repeat(32)}`
const digest = `sha256:${'a'.repeat(64)}`
const draft = { environment_version_id: id }

const good: [string, TSchema, unknown][] = [
  ['an environment by name alone', EnvironmentCreateRequest, { name: 'a' }],
  ['an upload of 1 GiB', ContextUploadInitRequest, { declared_bytes: 1_073_741_824 }],
  [
    'a version by digest',
    EnvironmentVersionCreateRequest,
    { source_digest: digest, resource_profile: 'large' },
  ],
  ['a run with null as input', ManualRunSubmitRequest, { task_version_id: id, input: null }],
  [
    'a run of seven days',
    ManualRunSubmitRequest,
    { task_version_id: id, input: 1, timeout_seconds: 604_680 },
  ],
  [
    'a draft with a slot by name',
    TaskVersionCreateRequest,
    { ...draft, secret_slot_declarations: ['TOKEN'] },
  ],
  [
    'a draft with a slot object',
    TaskVersionCreateRequest,
    { ...draft, secret_slot_declarations: [{ name: 'A' }] },
  ],
  [
    'a draft with a policy',
    TaskVersionCreateRequest,
    { ...draft, output_policy: { kind: 'custom_table_writeback', table_id: 't' } },
  ],
  ['a draft without a policy', TaskVersionCreateRequest, { ...draft, output_policy: null }],
  [
    'a draft with unusual env names',
    TaskVersionCreateRequest,
    { ...draft, ordinary_env: { '1 =': '', SERVICE_X: '' } },
  ],
]
test.each(good)('accepts %s', (_, schema, value) => expect(accepts(schema, value)).toBe(true))

const bad: [string, TSchema, unknown][] = [
  ['an unknown field', EnvironmentCreateRequest, { name: 'a', company_id: 'x' }],
  ['a blank name', EnvironmentCreateRequest, { name: ' \n\t' }],
  ['a name with NUL', EnvironmentCreateRequest, { name: 'a\0b' }],
  ['a name of 257', EnvironmentCreateRequest, { name: 'x'.repeat(257) }],
  ['a chatroom as owner', TaskCreateRequest, { name: 'a', owner_scope: 'chatroom', owner_id: 'x' }],
  ['an owner id with a slash', TaskCreateRequest, { name: 'a', owner_scope: 'company', owner_id: '../x' }],
  ['an upload of no bytes', ContextUploadInitRequest, { declared_bytes: 0 }],
  ['an upload over 1 GiB', ContextUploadInitRequest, { declared_bytes: 1_073_741_825 }],
  ['a number as text', ContextUploadInitRequest, { declared_bytes: '5' }],
  ['an unknown format', ContextUploadInitRequest, { declared_bytes: 5, archive_format: 'rar' }],
  ['the operator profile', EnvironmentVersionCreateRequest, { resource_profile: 'xlarge' }],
  ['no profile', EnvironmentVersionCreateRequest, { source_digest: digest }],
  [
    'an upper-case digest',
    EnvironmentVersionCreateRequest,
    { source_digest: digest.toUpperCase(), resource_profile: 'large' },
  ],
  ['a run without input', ManualRunSubmitRequest, { task_version_id: id }],
  [
    'a run with a zero timeout',
    ManualRunSubmitRequest,
    { task_version_id: id, input: 1, timeout_seconds: 0 },
  ],
  [
    'a run of over 7 days',
    ManualRunSubmitRequest,
    { task_version_id: id, input: 1, timeout_seconds: 604_681 },
  ],
  [
    'a reserved slot',
    TaskVersionCreateRequest,
    { ...draft, secret_slot_declarations: ['SERVICE_INPUTS_FILE'] },
  ],
  ['a slot with a dash', TaskVersionCreateRequest, { ...draft, secret_slot_declarations: ['A-B'] }],
  ['a script with NUL', TaskVersionCreateRequest, { ...draft, work_script: 'echo\0' }],
  ['a policy without a kind', TaskVersionCreateRequest, { ...draft, output_policy: { table_id: 't' } }],
  [
    'a policy with two kinds',
    TaskVersionCreateRequest,
    { ...draft, output_policy: { kind: 'custom_table_writeback', table_id: 't', command_id: 'c' } },
  ],
  ['a share with a user', ShareCreateRequest, { target_kind: 'user', target_id: 'x' }],
]
test.each(bad)('refuses %s', (_, schema, value) => expect(accepts(schema, value)).toBe(false))

test.each(Object.entries(idKinds))('an id of a %s is an identifier', (kind, prefix) => {
  const made = `${prefix}_${'0f'.repeat(16)}`
  expect(idPattern(kind as keyof typeof idKinds).test(made)).toBe(true)
  expect(accepts(Identifier, made)).toBe(true)
  expect(accepts(Identifier, `${made}0`)).toBe(false)
})

test('prefixes of ids are distinct', () => {
  expect(new Set(Object.values(idKinds)).size).toBe(Object.keys(idKinds).length)
})

test('profiles are equal to the public table', () => {
  const rows = profiles.map((profile) => [
    profile.id,
    profile.vcpu,
    profile.provider_memory_mib,
    profile.customer_memory_mib,
    profile.workspace_mib,
    profile.tenant_selectable,
  ])
  expect(rows).toEqual([
    ['standard', 1, 1280, 512, 512, true],
    ['performance', 2, 2560, 1024, 1024, true],
    ['large', 4, 5120, 2048, 2048, true],
    ['xlarge', 8, 10_240, 4096, 4096, false],
  ])
  expect(profiles.filter((profile) => profile.is_default).map(({ id }) => id)).toEqual(['standard'])
  for (const profile of profiles) expect(accepts(Profile, profile)).toBe(true)
})

test('a deployment shows its own regions only', () => {
  expect(regionsOf('onprem').map(({ code }) => code)).toEqual(['onprem'])
  expect(regionsOf('hosted')).toHaveLength(10)
  for (const region of regionsOf('hosted')) {
    expect(region.code).not.toBe('onprem')
    expect(accepts(Region, region)).toBe(true)
  }
})

test('failure hints are within their length limit', () => {
  const texts = [
    ...Object.values(runFailures).map(({ hint }) => hint),
    ...Object.values(buildFailures).map(({ nextAction }) => nextAction),
    ...Object.values(waitActions),
  ]
  for (const text of texts) expect(text.length).toBeLessThanOrEqual(guidanceMaxLength)
})

test('only declared codes have a hint', () => {
  expect(failureHint('timeout')).toContain('deadline')
  for (const code of ['', 'unknown', 'toString', '__proto__']) expect(failureHint(code)).toBe('')
})

test('a blank work command means the default driver', () => {
  expect(driverOf(null)).toBe('. /workspace/work.sh')
  expect(driverOf(' \n')).toBe('. /workspace/work.sh')
  expect(driverOf(' python3 x.py ')).toBe(' python3 x.py ')
  expect(accepts(RuntimeContract, runtimeContract('x'))).toBe(true)
})
