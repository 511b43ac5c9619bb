import { afterAll, beforeAll, expect, test } from 'vitest'
import { StandaloneShim } from '../../testing/agent/standalone-shim.ts'
import { planText } from './shim-plan.ts'

let shim: StandaloneShim

beforeAll(async () => {
  shim = await StandaloneShim.make()
})
afterAll(() => shim.dispose())

test('the runtime gets the variable of its plan as it is, and none of the shim’s', async () => {
  const environment = 'GIVEN=two words'
  const { log } = await shim.run(planText({ ...shim.plan, command: ['/usr/bin/env'], environment }))
  const [path, cloned, ...others] = log.trim().split('\n')
  expect(path).toMatch(/^PATH=/)
  expect(cloned).toBe('_LIBCONTAINER_CLONED_BINARY=1')
  expect(others).toEqual([environment])
})
