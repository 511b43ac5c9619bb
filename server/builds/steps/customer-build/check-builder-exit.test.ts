import { expect, it } from 'vitest'
import { tar } from '../../../../reader/formats/archive-fixtures.ts'
import { FakeBuilder } from '../../../../testing/builds/fake-builder.ts'
import { ChainBench } from '../../../../testing/chain-bench.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeTenant } from '../../../../testing/factories/tenant.ts'
import { exitRecord } from '../../../../testing/scripted-executor.ts'
import type { Build } from '../../request/build.ts'
import { checkBuilderExit } from './check-builder-exit.ts'

const { db } = await createTestDatabase()

type Values = Parameters<typeof checkBuilderExit.run>[1]

it.each([
  ['late', 'collection_timeout'],
  ['lost', 'disk_space_low'],
] as const)('does not blame the author for an image that is %s on the host', async (status, detail) => {
  const files = { image: { status, byteSize: 7 }, config: { status, byteSize: 0 } }
  const build = { tools: { executor: {} } } as Build
  const values = { sandboxId: 'bat_1', exit: exitRecord({ files }) } as Values
  await expect(checkBuilderExit.run(build, values)).rejects.toMatchObject({ code: 'platform_failed', detail })
})

it('reports the instruction that ran at the time limit', async () => {
  const bench = new ChainBench(db, new FakeBuilder())
  const owner = await makeTenant(db)
  const content = 'FROM curated/tiny:2\nRUN true\nRUN sleep 600\nRUN true\n'
  const environment = await bench.environment(owner)
  const ended = await bench.build(tar({ name: 'Dockerfile', content }), { owner, environment })
  expect(ended, ended.log).toMatchObject({ error_code: 'build_timeout', error_detail: 'line_3' })
})
