import type { ExtendedSubmitRequest } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import { expect, test } from 'vitest'
import type { Principal } from '../../access/principal.ts'
import { ValidationError } from '../../base/errors/validation-error.ts'
import type { Trx } from '../../db/database.ts'
import type { FindRunDeps } from '../lookup/readable-run.ts'
import type { LockedPart, PartLock } from '../parts/run-part.ts'
import { runParts } from '../parts/run-parts.ts'
import { askParts, lockParts } from './asked-parts.ts'
import { hashRequest } from './idempotency.ts'

const submitter = { principal: {} as Principal, chatroomId: 'roo_1' }
const ask = (fields: Partial<ExtendedSubmitRequest>) => askParts({} as FindRunDeps, submitter, fields)

const request = {
  route: 'POST /chatrooms/{chatroom_id}/runs',
  chatroom_id: 'roo_1',
  task_version_id: 'tvr_1',
  timeout_seconds: null,
  input_digest: 'sha256:00',
}

test('a request that asks for nothing has the hash of one without the fields', () => {
  expect(ask({ files: [], metadata: {} }).described).toEqual({})
  expect(hashRequest({ ...request, ...ask({}).described })).toBe(
    '3b15935faa87d32e35dfc92ba9d988b59ad734233115d6fd94d28eb9aedd32d2',
  )
})

test('the hash of a request with every part is the one that stored keys have', () => {
  const { described } = ask({
    metadata: { order: '7' },
    session: { session_id: 'ses_1' },
    files: [{ name: 'a.csv', file_id: 'inf_1' }],
  })
  expect(hashRequest({ ...request, ...described })).toBe(
    '024ff476ca006c2e3272bae925b49d0885eb43cbd80157305afc19657a09070b',
  )
})

test('a part that is asked for in a wrong form refuses the request', () => {
  expect(() => ask({ metadata: { 'a b': 'x' } })).toThrow(ValidationError)
})

test('files are locked before the session, for which other runs may wait', () => {
  const asked = runParts.filter((part) => part.ask).map(({ name }) => name)
  expect(asked).toEqual(['files', 'session', 'metadata'])
})

test('parts are locked one after another', async () => {
  const order: string[] = []
  const lockOf =
    (name: string): PartLock =>
    async () => {
      order.push(`${name} begins`)
      await Promise.resolve()
      order.push(`${name} is locked`)
      return { keep: async () => undefined } satisfies LockedPart
    }
  await lockParts({} as Trx, { ...submitter, resourceProfile: 'standard' }, [lockOf('a'), lockOf('b')])
  expect(order).toEqual(['a begins', 'a is locked', 'b begins', 'b is locked'])
})
