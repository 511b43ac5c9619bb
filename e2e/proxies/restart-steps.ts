import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Step } from '../first-hour/step.ts'
import { type Ground, get, requireStatus, step } from './ground.ts'
import { send } from './https-request.ts'

const clients = 4

/** Clients that go on while the service restarts. */
export const restartSteps = (ground: Ground): Step[] => [
  step('operator', 'restarts the service, and no request fails', async () => {
    let isBack = false
    const startedMs = performance.now()
    const restarted = ground.service.restart().finally(() => {
      isBack = true
    })
    const seconds: number[] = []
    let refused = 0
    const client = async () => {
      while (!isBack) {
        const sentMs = performance.now()
        const { status } = await send(ground.proxied, { path: '/version' })
        const taken = (performance.now() - sentMs) / 1000
        seconds.push(taken)
        if (status === 502 && taken >= ground.restartFailsAfterSeconds) refused += 1
        else if (status !== 200) throw new Error(`a request answers ${status} after ${taken.toFixed(1)} s`)
      }
    }
    const [{ stoppedAfterMs }] = await Promise.all([restarted, ...Array.from({ length: clients }, client)])
    const [stopped, ready] = [stoppedAfterMs, performance.now() - startedMs].map((ms) =>
      (ms / 1000).toFixed(1),
    )
    const longest = Math.max(...seconds).toFixed(1)
    console.log(
      `         stopped after ${stopped} s, ready after ${ready} s; ${seconds.length} requests, the longest ${longest} s, ${refused} refused by the proxy after its time`,
    )
    requireStatus(await get(ground, allRoutes.readMe.path), 200)
  }),
]
