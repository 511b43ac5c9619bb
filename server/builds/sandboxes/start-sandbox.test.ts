import { expect, it } from 'vitest'
import { ExecutorRefused } from '../../../agent/port/errors.ts'
import { neverStarted, noCapacity, type RefusalCause } from '../../../agent/port/refusal-causes.ts'
import { sandboxOwner } from '../../../agent/port/sandbox-owner.ts'
import { noInput } from '../../../testing/no-input.ts'
import { ScriptedExecutor } from '../../../testing/scripted-executor.ts'
import { cachedStageSandbox } from '../builder/build-sandbox.ts'
import { startSandbox } from './start-sandbox.ts'

const companyId = 'company_a'
const spec = cachedStageSandbox({ id: 'bat_1', profile: 'standard', bases: [], network: 'none' })
const start = (executor: ScriptedExecutor) =>
  startSandbox({ request: { companyId }, tools: { executor } }, spec, noInput)

async function startRefused(slug: RefusalCause): Promise<void> {
  const executor = new ScriptedExecutor()
  executor.failNext('start', new ExecutorRefused(slug, 'as the test says'))
  await start(executor)
}

it('does not throw for a sandbox that never started; its exit record reports that', async () => {
  await startRefused(neverStarted)
})

it('throws any other refusal', async () => {
  await expect(startRefused(noCapacity)).rejects.toMatchObject({ slug: noCapacity })
})

it('counts for the builds of its company, not for its runs', async () => {
  const executor = new ScriptedExecutor()
  await start(executor)
  const { owner } = executor.specOf(spec.id)
  expect(owner).toBe(sandboxOwner(companyId, 'builds'))
  expect(owner).not.toBe(sandboxOwner(companyId, 'runs'))
})
