import { providerCallbackPath, providerStartPath } from '@sandbox-jobs/contract/provider-sign-in.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { signInCookie } from '../../access/authentication/browser-sign-in.ts'
import type { OpenIdProvider } from '../../access/sign-ins/openid-provider.ts'
import { ProviderFailure } from '../../access/sign-ins/provider-failure.ts'
import {
  namedByProvider,
  type ProviderSignInServices,
  signInNamed,
  startAtProvider,
  startCookie,
} from '../../access/sign-ins/provider-sign-in.ts'
import type { AddressRange } from '../../base/addresses/address-range.ts'
import { inRequest, nameCompany } from '../../base/current-request.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import type { Log } from '../../base/logging.ts'
import type { RequestScheduler } from '../../fairness/request-scheduler.ts'
import { turnOf } from '../bounds/take-turn.ts'
import type { Mount } from '../mount.ts'
import { clientAddress } from '../requests/client-address.ts'

export interface ProviderPageServices extends Omit<ProviderSignInServices, 'provider'> {
  /** Absent: people sign in with a password alone. */
  provider: OpenIdProvider | undefined
  log: Log
  scheduler: RequestScheduler | undefined
  trustedProxies: readonly AddressRange[]
  /** Address of the service. */
  baseUrl: string
}

/** Nothing of these answers is kept, and the provider is not told which page the browser came from. */
const headers = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }

/**
 * The two addresses through which a browser goes to the identity provider and comes back signed in. Their answers are redirects, to the
 * provider and to pages of the console alone.
 */
export function mountProviderPages(app: FastifyInstance, mount: Mount, services: ProviderPageServices): void {
  const { provider, baseUrl, log } = services
  mount(allRoutes.readSignInProvider, async () => {
    if (!provider) throw notFound()
    return { name: provider.settings.name }
  })
  if (!provider) return
  const parts = { ...services, provider }

  app.get(providerStartPath, (request, reply) =>
    orProblem(request, reply, async () => {
      const after = ownScreen(baseUrl, queryOf(request).return)
      const { location, cookie } = await startAtProvider(parts, { after, address: addressOf(request) })
      return reply.headers(headers).header('set-cookie', cookie).redirect(location, 303)
    }),
  )
  app.get(providerCallbackPath, (request, reply) =>
    orProblem(request, reply, async () => {
      const address = addressOf(request)
      const named = await namedByProvider(parts, request.headers, { query: queryOf(request), address })
      nameCompany(named.user.company_id)
      await turnOf(services.scheduler, named.user.company_id, reply)(0)
      const from = { userAgent: request.headers['user-agent'], address }
      const acting = { action: 'createSignIn', actor_type: 'user', actor_id: named.user.id } as const
      const token = await inRequest(request.id, () => signInNamed(parts, named, from), acting)
      return reply
        .headers(headers)
        .header('set-cookie', [signInCookie.signIn(token), startCookie.signOut])
        .redirect(`${baseUrl}/console${named.after}`, 303)
    }),
  )

  /** Leads to the sign-in page, which says what to do. */
  async function orProblem(request: FastifyRequest, reply: FastifyReply, work: () => Promise<FastifyReply>) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error
      const { problem, reason } = error
      log.warn({ request: request.id, problem, reason }, 'a sign-in at the identity provider failed')
      return reply
        .headers(headers)
        .header('set-cookie', startCookie.signOut)
        .redirect(`${baseUrl}/console/sign-in?problem=${problem}`, 303)
    }
  }

  const addressOf = (request: FastifyRequest): string =>
    clientAddress({ peer: request.ip, headers: request.headers }, services.trustedProxies)
}

const queryOf = ({ query }: FastifyRequest) => query as Record<string, unknown>

const screenMaxLength = 1024

/** The path of a screen below `/console`; the first screen for whatever else somebody wrote into a link. */
function ownScreen(baseUrl: string, wanted: unknown): string {
  if (typeof wanted !== 'string' || wanted.length > screenMaxLength) return '/'
  const root = `${baseUrl}/console`
  const url = URL.parse(`${root}${wanted}`)
  return url?.href.startsWith(`${root}/`) ? url.href.slice(root.length) : '/'
}
