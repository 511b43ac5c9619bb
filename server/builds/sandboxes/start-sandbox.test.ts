import { expect, it } from 'vitest'
import { ExecutorRefused } from '../../../agent/port/errors.ts'
import { neverStarted, noCapacity, type RefusalCause } from '../../../agent/port/refusal-causes.ts'
import { ScriptedExecutor } from '../../../testing/scripted-executor.ts'
import { cachedStageSandbox } from '../builder/build-sandbox.ts'
import { startSandbox } from './start-sandbox.ts'

async function startRefused(slug: RefusalCause): Promise<void> {
  const executor = new ScriptedExecutor()
  executor.failNext('start', new ExecutorRefused(slug, 'as the test says'))
  const spec = cachedStageSandbox({ id: 'bat_1', profile: 'standard', bases: [], network: 'none' })
  await startSandbox({ request: { companyId: 'company_a' }, tools: { executor } }, spec, Buffer.alloc(0))
}

it('does not throw for a sandbox that never started; its exit record reports that', async () => {
  await startRefused(neverStarted)
})

it('throws any other refusal', async () => {
  await expect(startRefused(noCapacity)).rejects.toMatchObject({ slug: noCapacity })
})
