import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { timeSteps } from '../first-hour/step.ts'
import { freePort } from '../main-job/service.ts'
import { logIn } from '../main-job/tenant.ts'
import { answerSteps } from './answer-steps.ts'
import { certificateSteps } from './certificate-steps.ts'
import type { Ground } from './ground.ts'
import { holdListener } from './held-listener.ts'
import { type ProxyName, proxyNames, startProxy } from './proxy.ts'
import { restartSteps } from './restart-steps.ts'
import { RestartedService } from './restarted-service.ts'
import { runSteps } from './run-steps.ts'
import { uploadSteps } from './upload-steps.ts'

/*
 * Debian's nginx and Caddy with the samples of examples/proxy, each in front of a service of its own, with TLS. The programs are
 * unpacked and not installed. Needs root and a network for the first time.
 */
const { values } = parseArgs({ options: { proxy: { type: 'string', multiple: true } } })
const chosen = values.proxy ?? [...proxyNames]
if (!chosen.every((name): name is ProxyName => proxyNames.some((known) => known === name)))
  fail(`usage: npm run proxies -- [--proxy ${proxyNames.join('|')}]`)
if (!existsSync('/usr/bin/openssl') || !existsSync('/usr/bin/python3'))
  fail('needs openssl and python3: apt-get install openssl python3')

/** Caddy answers 502 after the time of `lb_try_duration`. Behind nginx the address stays open, and nothing may fail. */
const restartFailsAfterSeconds = { nginx: Number.POSITIVE_INFINITY, caddy: 30 }

const failed: string[] = []
let cases = 0
for (const name of chosen) {
  console.log(name)
  const folder = await mkdtemp(join(tmpdir(), 'proxies-'))
  const port = await freePort()
  const url = `https://localhost:${port}`
  const held = name === 'nginx' ? await holdListener() : undefined
  const settings = {
    SANDBOX_BASE_URL: url,
    SANDBOX_TRUSTED_PROXIES: '127.0.0.1/32',
    SANDBOX_READS_PER_LOG_LINE: '1',
  }
  const service = await RestartedService.start(settings, held)
  const servicePort = Number(new URL(service.url).port)
  try {
    const proxy = await startProxy(name, folder, { port, servicePort, days: 2 })
    try {
      const ground: Ground = {
        service,
        tenant: await logIn(service),
        direct: { url: service.url, from: '127.0.0.1' },
        proxied: { url, ca: proxy.ca, from: '127.0.0.4' },
        restartFailsAfterSeconds: restartFailsAfterSeconds[name],
        closesRefusedUploads: name === 'caddy',
        startOther: async (days) => {
          const other = join(folder, 'other')
          await mkdir(other)
          const port = await freePort()
          return { ...(await startProxy(name, other, { port, servicePort, days })), port }
        },
      }
      const steps = [uploadSteps, runSteps, answerSteps, restartSteps, certificateSteps].flatMap((stepsOf) =>
        stepsOf(ground),
      )
      cases += steps.length
      failed.push(...(await timeSteps(steps)).map((step) => `${name}: ${step}`))
    } finally {
      await proxy.stop()
    }
  } finally {
    await service.stop()
    await held?.close()
    if (failed.some((step) => step.startsWith(name))) console.log(`what ${name} printed: ${folder}/output`)
    else await rm(folder, { recursive: true })
  }
}
console.log(JSON.stringify({ suite: 'proxies', cases, failed: failed.length, failed_names: failed }))
process.exitCode = failed.length === 0 ? 0 : 1

function fail(text: string): never {
  console.error(text)
  process.exit(2)
}
