import { createHash, randomUUID } from 'node:crypto'
import type { InputFile } from '@sandbox-jobs/contract/resources/runs/input-file.ts'
import type { RunResult } from '@sandbox-jobs/contract/resources/runs/run-result.ts'
import { inputFileRoutes } from '@sandbox-jobs/contract/routes/input-file-routes.ts'
import { resultRoutes } from '@sandbox-jobs/contract/routes/result-routes.ts'
import { runRoutes } from '@sandbox-jobs/contract/routes/run-routes.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { RealRuns } from '../../../../testing/apps/real-runs.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeRun, type RunnableTask } from '../../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import type { Principal } from '../../../access/principal.ts'
import { newId } from '../../../base/ids.ts'

/* The files that runs take, as real sandboxes see them. */

const database = await createTestDatabase()
const { db } = database
const runs = await RealRuns.start(database)
let tenant: Tenant
let task: RunnableTask

beforeAll(async () => {
  tenant = await makeTenant(db)
  task = await runs.makeTask(tenant.companyId, script)
})

/** Reports what is there, with modes, files that nobody wrote in the last hour with their times, and what writing does. */
const script = `
  cd /workspace
  {
    ls -ld inputs | cut -c1-10
    for file in inputs/* inputs/.[a-z]*; do
      [ -f "$file" ] && echo "$(ls -l "$file" | cut -c1-10) $file $(sha256sum < "$file" | cut -c1-64)"
    done
    find . -type f ! -mmin -60 -exec stat -c '%n %Y' {} +
    ( echo changed > inputs/data.csv ) 2>/dev/null && echo "wrote"
    rm -f inputs/data.csv 2>/dev/null; [ -f inputs/data.csv ] || echo "removed"
  } > "$SERVICE_OUTPUT_FILE"
  printf 'of the first run' > "$SERVICE_ARTIFACTS_DIR/left.txt"
  touch -d @1600000000 "$SERVICE_ARTIFACTS_DIR/left.txt"
`

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex')

async function upload(
  name: string,
  payload: Buffer | string,
  who: Principal = tenant.member,
): Promise<InputFile> {
  const call = {
    params: { cid: tenant.roomId },
    query: { name },
    payload: Buffer.from(payload),
    headers: { 'content-type': 'application/octet-stream' },
  }
  return runs.api.must(inputFileRoutes.uploadInputFile, who, call)
}

const run = async (body: Record<string, unknown>, who = tenant.member): Promise<RunResult> =>
  (await runs.runAndWait(task, who, tenant.roomId, body)).body

describe('the files of a run', () => {
  it('are in the sandbox under their names, read-only, with exactly their bytes', async () => {
    const large = Buffer.alloc(9 * 1024 * 1024 + 17, 'sandbox jobs ')
    const long = `${'ü'.repeat(120)}.txt`
    const sent = {
      'data.csv': Buffer.from('a,b\n1,2\n'),
      'large.bin': large,
      [long]: Buffer.from('long name'),
      "it's $(here) *.txt": Buffer.from('quoted'),
      '.hidden': Buffer.from('dot'),
      empty: Buffer.alloc(0),
    }
    const files = await Promise.all(
      Object.entries(sent).map(async ([name, bytes]) => ({ name, file_id: (await upload('any', bytes)).id })),
    )
    const answer = await run({ files })
    expect(answer.run).toMatchObject({ status: 'completed' })
    const lines = (answer.output?.text ?? '').trimEnd().split('\n')
    expect(lines[0]).toBe('dr-xr-xr-x')
    const expected = Object.entries(sent).map(([name, bytes]) => `-r--r--r-- inputs/${name} ${sha256(bytes)}`)
    expect(lines.slice(1).toSorted()).toEqual(expected.toSorted())
    expect(answer.run.files.map(({ name, byte_size }) => [name, byte_size])).toEqual(
      Object.entries(sent).map(([name, bytes]) => [name, bytes.length]),
    )
  })

  it('are artifacts of another run, by path or id, and what a run took is taken by its retry', async () => {
    const first = (await run({})).run
    const artifacts = await runs.api.must(resultRoutes.listRunFiles, tenant.member, {
      params: { cid: tenant.roomId, rid: first.id },
    })
    const id = artifacts.items[0]?.id ?? ''
    const second = await run({
      files: [
        { name: 'by-path', run_id: first.id, artifact: 'left.txt' },
        { name: 'by-id', run_id: first.id, artifact: id },
      ],
      metadata: { external_user: 'U42' },
    })
    const digest = sha256('of the first run')
    const lines = [`-r--r--r-- inputs/by-id ${digest}`, `-r--r--r-- inputs/by-path ${digest}`]
    const times = ['./inputs/by-id 1600000000', './inputs/by-path 1600000000']
    expect(second.output?.text).toContain(lines.join('\n'))
    expect(second.output?.text?.split('\n')).toEqual(expect.arrayContaining(times))
    const retried = await runs.api.must(runRoutes.retryRun, tenant.companyManager, {
      params: { cid: tenant.roomId, rid: second.run.id },
      headers: { 'idempotency-key': randomUUID() },
    })
    const params = { cid: tenant.roomId, rid: retried.id }
    const again = await runs.api.must(resultRoutes.waitForRun, tenant.member, { params })
    expect(again).toMatchObject({
      status: 'completed',
      files: second.run.files,
      metadata: { external_user: 'U42' },
    })
    const output = await runs.api.call(resultRoutes.readRunOutput, tenant.member, { params })
    expect(output.text).toBe(second.output?.text)
  })

  it('that cannot be read any more end the run before it starts', async () => {
    const file = await upload('data.csv', 'gone')
    const lost = { files: [{ name: 'data.csv', file_id: file.id }] }
    const row = await db.selectFrom('input_files').select('storage_key').where('id', '=', file.id).execute()
    await runs.api.storage.put(row[0]?.storage_key ?? '', Buffer.from('also'))
    const damaged = await run(lost)
    expect(damaged.run).toMatchObject({ error_code: 'storage_lost', error_detail: 'input_file_damaged' })
    await runs.api.storage.delete(row[0]?.storage_key ?? '')
    expect((await run(lost)).run).toMatchObject({ error_detail: 'input_file_missing' })
    const taken = {
      company_id: tenant.companyId,
      run_id: newId('run'),
      place: 0,
      name: 'left.txt',
      byte_size: 1,
      digest: file.digest,
      source_run_id: newId('run'),
      artifact_id: newId('artifact'),
    }
    await db
      .insertInto('run_files')
      .values({ ...taken, file_id: null })
      .execute()
    const taker = await makeRun(db, task, { id: taken.run_id, chatroom_id: tenant.roomId })
    const params = { cid: tenant.roomId, rid: taker }
    const ended = await runs.api.must(resultRoutes.waitForRun, tenant.member, { params })
    expect([ended.status, ended.error_code]).toEqual(['customer_failed', 'input_file_unavailable'])
  })
})
