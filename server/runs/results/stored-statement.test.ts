import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { newId } from '../../base/ids.ts'
import { sha256Of } from '../../base/sha256.ts'
import { findStored } from './stored-statement.ts'

const { db } = await createTestDatabase()

/** A run with a content of that many bytes, and with these artifacts. */
async function endedRun(outputBytes: number, paths: readonly string[]) {
  const tenant = await makeTenant(db)
  const task = await makeRunnableTask(db, tenant.companyId)
  const id = await makeRun(db, task, { chatroom_id: tenant.roomId })
  const of = { run_id: id, company_id: tenant.companyId }
  const output = { output_key: `runs/${id}`, output_bytes: outputBytes, output_digest: sha256Of('') }
  await db
    .insertInto('run_contents')
    .values({ ...of, ...output })
    .execute()
  for (const relative_path of paths)
    await db
      .insertInto('run_artifacts')
      .values({
        ...of,
        id: newId('artifact'),
        relative_path,
        path_hash: sha256Of(relative_path),
        bundle_offset: 0,
        byte_size: 1,
        digest: sha256Of(''),
        declared_content_type: 'application/octet-stream',
      })
      .execute()
  return { id, companyId: tenant.companyId }
}

it('runs that are looked up together each get their own, and nothing of another company', async () => {
  const [first, second] = [await endedRun(1, ['b', 'a', 'ä', 'B']), await endedRun(2, [])]
  const [ofFirst, ofSecond, ofOther, ofNone] = await findStored(db, [
    { ...first, artifactsMax: 3 },
    { ...second, artifactsMax: 9 },
    { id: first.id, companyId: second.companyId, artifactsMax: 9 },
    { id: 'run_none', companyId: first.companyId, artifactsMax: 9 },
  ])
  expect(ofFirst?.content?.output_bytes).toBe(1)
  expect(ofFirst?.artifacts.map(({ relative_path }) => relative_path)).toEqual(['B', 'a', 'b'])
  expect(ofFirst?.artifactsTotal).toBe(4)
  expect([ofSecond?.content?.output_bytes, ofSecond?.artifacts, ofSecond?.artifactsTotal]).toEqual([2, [], 0])
  for (const nothing of [ofOther, ofNone])
    expect(nothing).toEqual({ content: undefined, artifacts: [], artifactsTotal: 0 })
})
