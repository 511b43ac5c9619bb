import { doorsPerCompany } from '@sandbox-jobs/contract/limits.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { ErrorScenarios } from './error-scenario.ts'

/** Errors of doors. */
export const doorScenarios: ErrorScenarios = {
  door_limit: async (context) => {
    const { room, readyVersion } = context.ids
    const request = (name: string) => ({
      params: { cid: room },
      body: { name, kind: 'dify', runtimes: [{ language: 'python', environment_version_id: readyVersion }] },
    })
    // The seed has made one.
    for (let made = 1; made < doorsPerCompany; made += 1)
      await context.sendOk('manager', allRoutes.createDoor, request(`Door ${made}`))
    return context.send('manager', allRoutes.createDoor, request('One more'))
  },
}
