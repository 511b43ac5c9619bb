import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@sandbox-jobs/contract/client/client.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { withDatabase } from '../crash/load/history.ts'
import type { OwnService } from '../main-job/service.ts'
import type { Hostile } from './companies.ts'

const pauseMs = 500
/** Requests of the attack that the service has may still change rows when their clients are gone. */
const quietLooks = 4

/** Ends all work that an attack has left, so that it does not affect the phases after it. */
export async function endWork(service: OwnService, hostile: Hostile): Promise<void> {
  for (let looks = 0; looks < quietLooks; looks += 1) {
    if ((await dropRowEvents(service, hostile)) + (await cancelRuns(hostile)) > 0) looks = 0
    await sleep(pauseMs)
  }
  await cancelBuilds(hostile)
}

/** Changed rows of the attack would queue runs for minutes: thousands wait, and no route ends them. Returns their number. */
const dropRowEvents = ({ dataDir }: OwnService, { companyId }: Hostile): Promise<number> =>
  withDatabase(dataDir, async (client) => {
    const waiting = 'delete from custom_table_trigger_events where company_id = $1 and outcome is null'
    return (await client.query(waiting, [companyId])).rowCount ?? 0
  })

/** Returns the number of runs that it asked to end. */
async function cancelRuns({ url, token }: Hostile): Promise<number> {
  const client = createClient({ baseUrl: url, token })
  for (let cancelled = 0; ; ) {
    const query = { page_size: 100, status: ['queued', 'starting', 'running', 'cancel_requested'] } as const
    const { items } = await client.call(allRoutes.listVisibleRuns, {
      query: { ...query, status: [...query.status] },
    })
    if (items.length === 0) return cancelled
    for (const { id, chatroom_id } of items) {
      await client.call(allRoutes.cancelRun, { params: { cid: chatroom_id, rid: id } }).catch(() => undefined)
    }
    cancelled += items.length
    await sleep(200)
  }
}

async function cancelBuilds({ url, token, environmentId: id }: Hostile): Promise<void> {
  const client = createClient({ baseUrl: url, token })
  for (let isAny = true; isAny; ) {
    isAny = false
    const query = { page_size: 100 }
    const versions = await client.call(allRoutes.listEnvironmentVersions, { params: { id }, query })
    for (const { id: vid } of versions.items) {
      const { items } = await client.call(allRoutes.listBuilds, { params: { id, vid } })
      for (const { id: aid } of items.filter(({ terminal_class }) => terminal_class === '')) {
        isAny = true
        await client.call(allRoutes.cancelBuild, { params: { id, vid, aid } }).catch(() => undefined)
      }
    }
    await sleep(200)
  }
}
