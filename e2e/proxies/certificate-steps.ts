import { requireParts, type Step } from '../first-hour/step.ts'
import { type Ground, step } from './ground.ts'

/** A certificate that nobody renewed. */
export const certificateSteps = ({ service, startOther }: Ground): Step[] => [
  step('operator', 'finds that the certificate has ended, and so do the people', async () => {
    const proxy = await startOther(-1)
    const address = `https://localhost:${proxy.port}`
    const settings = { NODE_EXTRA_CA_CERTS: proxy.certificateFile, SANDBOX_BASE_URL: address }
    try {
      const said = await service.command(['login', '--user', service.user, '--url', address], {
        ...settings,
        SANDBOX_PASSWORD: service.password,
      })
      requireParts(said, `The certificate of ${address} has ended`, 'renew it')
      requireParts(await service.command(['doctor'], settings), `${address}, certificate ended on 20`)
    } finally {
      await proxy.stop()
    }
  }),
]
