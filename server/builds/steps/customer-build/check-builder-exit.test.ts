import { expect, it } from 'vitest'
import { exitRecord } from '../../../../testing/scripted-executor.ts'
import type { Build } from '../../request/build.ts'
import { checkBuilderExit } from './check-builder-exit.ts'

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
