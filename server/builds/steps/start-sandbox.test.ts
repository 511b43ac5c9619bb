import { expect, it } from 'vitest'
import { ExecutorRefused, noCapacity, unbegun } from '../../executor/port.ts'
import { ScriptedExecutor } from '../../testing/scripted-executor.ts'
import { prefixSandbox } from '../build-sandbox.ts'
import { startSandbox } from './start-sandbox.ts'

async function startRefused(slug: string): Promise<void> {
  const executor = new ScriptedExecutor()
  executor.failNext('start', new ExecutorRefused(slug, 'as the test says'))
  const spec = prefixSandbox({ id: 'bat_1', profile: 'standard', bases: [] })
  await startSandbox({ order: { companyId: 'company_a' }, tools: { executor } }, spec, Buffer.alloc(0))
}

it('leaves what ended unbegun to be told by its record', async () => {
  await startRefused(unbegun)
})

it('tells of any other refusal', async () => {
  await expect(startRefused(noCapacity)).rejects.toMatchObject({ slug: noCapacity })
})
