import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import { linkRoutes } from '@sandbox-jobs/contract/routes/link-routes.ts'
import { resultRoutes } from '@sandbox-jobs/contract/routes/result-routes.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { RealRuns } from '../../../../testing/apps/real-runs.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'

const database = await createTestDatabase()
const runs = await RealRuns.start(database)
let tenant: Tenant

beforeAll(async () => {
  tenant = await makeTenant(database.db)
})

const read = (rid: string) =>
  runs.api.call(resultRoutes.readRunRemarks, tenant.member, { params: { cid: tenant.roomId, rid } })

describe('the remarks about a run', () => {
  const odd = `
    mkdir "$SERVICE_ARTIFACTS_DIR/charts"; echo > "$SERVICE_ARTIFACTS_DIR/good.txt"
    ln -s /etc/passwd "$SERVICE_ARTIFACTS_DIR/charts/<b>latest
.png"`
  const remarksOf = async (script: string) => {
    const task = await runs.makeTask(tenant.companyId, script)
    const { run } = (await runs.runAndWait(task, tenant.member, tenant.roomId)).body
    const { remarks } = (await read(run.id)).body
    return { run, remarks }
  }

  it('name the one artifact that cost it all of them, as its log and its page do', async () => {
    const { run, remarks } = await remarksOf(odd)
    const path = 'charts/<b>latest\\n.png'
    const message = expect.stringContaining(`"${path}" has a control character`)
    expect(run).toMatchObject({ status: 'completed', error_detail: '', failure_hint: '' })
    expect(remarks).toMatchObject([
      { code: 'no_output', rule: '', path: null },
      { code: 'artifacts_refused', rule: 'control_character', path, message },
    ])
    const place = { cid: tenant.roomId, rid: run.id }
    const log = await runs.api.call(extensionRoutes.readRunLog, tenant.member, { params: place })
    expect(log.text).toContain(`[sandbox] ${remarks[1]?.message}`)
    const link = await runs.api.call(linkRoutes.createSignedLink, tenant.member, {
      params: place,
      body: { purpose: 'share' },
    })
    const token = /share\/([^/]+)/.exec(link.body.url)?.[1] ?? ''
    const page = await runs.api.call(linkRoutes.openShare, null, { params: { token } })
    expect(page.text).toContain('&lt;b&gt;latest')
    expect(page.text).not.toContain('<b>latest')
  })

  it('say that the output is empty', async () => {
    const { run, remarks } = await remarksOf(': > "$SERVICE_OUTPUT_FILE"')
    expect([run.status, remarks]).toMatchObject([
      'completed',
      [{ code: 'no_output', message: expect.stringContaining('was empty') }],
    ])
  })

  it('are none about a run with output and plain artifacts, or that has failed', async () => {
    const plain = 'echo > "$SERVICE_ARTIFACTS_DIR/a"; echo 1 > "$SERVICE_OUTPUT_FILE"'
    expect((await remarksOf(plain)).remarks).toEqual([])
    expect((await remarksOf('exit 3')).remarks).toEqual([])
  })
})
