import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { requireParts, type Step } from '../first-hour/step.ts'
import { pathOn } from './machine.ts'
import type { Operator } from './operator.ts'

const socket = 'sandbox-jobs.socket'
const service = 'sandbox-jobs.service'

/** The unit that holds the address of the API, on a machine with the units of the service. */
export function socketSteps(operator: Operator): Step[] {
  const { machine, port } = operator
  const step = (does: string, run: () => Promise<void>): Step => ({ person: 'operator', does, run })
  const systemctl = (...argv: string[]) => machine.must('systemctl', ...argv)
  const status = async () => {
    const [answer] = (await once(get({ port, path: '/version', agent: false }), 'response')) as [
      IncomingMessage,
    ]
    await answer.resume().toArray()
    return answer.statusCode
  }
  return [
    step('gives the address to systemd', async () => {
      const folder = pathOn(machine, `/etc/systemd/system/${socket}.d`)
      await mkdir(folder)
      await writeFile(`${folder}/address.conf`, `[Socket]\nListenStream=\nListenStream=127.0.0.1:${port}\n`)
      await systemctl('daemon-reload')
      await systemctl('enable', socket)
      await systemctl('stop', service)
      await systemctl('start', socket)
      await systemctl('start', service)
      await operator.untilReady()
    }),
    step('restarts the service, and no request fails', async () => {
      let isBack = false
      let answers = 0
      const client = async () => {
        for (; !isBack; answers += 1) {
          const found = await status()
          if (found !== 200) throw new Error(`a request answers ${found}`)
        }
      }
      const restarted = systemctl('restart', service).finally(() => {
        isBack = true
      })
      await Promise.all([restarted, client()])
      console.log(`         ${answers} requests were answered meanwhile`)
    }),
    step('kills the API, and no request fails', async () => {
      await machine.must('pkill', '--signal', 'KILL', '--full', '/api.mjs')
      if ((await status()) !== 200) throw new Error('the request has failed')
    }),
    step('stops the target, which closes the address', async () => {
      await systemctl('stop', 'sandbox-jobs.target', service)
      const answered = await status().catch((error: NodeJS.ErrnoException) => error.code)
      if (answered !== 'ECONNREFUSED') throw new Error(`a request answers ${answered}`)
      await systemctl('start', 'sandbox-jobs.target')
      await operator.untilReady()
      requireParts(await systemctl('is-active', socket), /^active/)
    }),
    step('restarts the target, which opens the address again', async () => {
      await systemctl('restart', 'sandbox-jobs.target')
      await operator.untilReady()
      requireParts(await systemctl('is-active', socket), /^active/)
    }),
  ]
}
