import { randomUUID } from 'node:crypto'
import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import { type Client, createClient } from '@sandbox-jobs/contract/client/client.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { logIn, type Tenant } from '../main-job/tenant.ts'
import type { Step } from './step.ts'
import type { World } from './world.ts'

export function integratorSteps(world: World): Step[] {
  let ada: Tenant
  let plugin: Client
  const step = (does: string, run: () => Promise<void>): Step => ({ person: 'integrator', does, run })
  return [
    step('makes a key that may only run jobs in one room', async () => {
      ada = await logIn({
        url: world.url,
        user: 'ada',
        password: await world.passwordOf('ada'),
        stop: async () => undefined,
      })
      const body = { name: 'plugin', scope: 'sandbox' as const, allowed_chatroom_ids: [ada.room] }
      const { api_key: apiKey } = await ada.client.call(allRoutes.createApiKey, { body })
      plugin = createClient({ baseUrl: world.url, apiKey })
    }),
    step('submits a job with the key and gets its output in the same answer', async () => {
      const { items } = await plugin.call(allRoutes.readMenu, { params: { cid: ada.room } })
      const job = items.find(({ task_name }) => task_name === 'python')
      if (!job) throw new Error(`the menu has no python: ${items.map(({ task_name }) => task_name)}`)
      const answer = await plugin.call(allRoutes.runAndWait, {
        params: { cid: ada.room },
        body: { task_version_id: job.task_version_id, input: { text: 'a b' } },
        idempotencyKey: randomUUID(),
      })
      if (!JSON.stringify(answer).includes('"words":4')) throw new Error(JSON.stringify(answer))
    }),
    step('cannot read the run of somebody else with the key', async () => {
      const { items } = await ada.client.call(allRoutes.listVisibleRuns, { query: { page_size: 100 } })
      const own = await plugin.call(allRoutes.listRuns, { params: { cid: ada.room } })
      const ids = new Set(own.items.map(({ id }) => id))
      const other = items.find(({ id, chatroom_id }) => chatroom_id === ada.room && !ids.has(id))
      if (!other) throw new Error('there is no run of somebody else')
      const read = plugin.call(allRoutes.readRunOutput, { params: { cid: ada.room, rid: other.id } })
      await read.then(
        () => Promise.reject(new Error('it reads it')),
        (error: unknown) => {
          if (!(error instanceof ApiError) || error.status !== 404) throw error
        },
      )
    }),
  ]
}
