import { Identifier } from '@sandbox-jobs/contract/ids.ts'
import { TokenRequest } from '@sandbox-jobs/contract/resources/access/token.ts'
import { OneOf, Strict } from '@sandbox-jobs/contract/schema.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import {
  companyOfForm,
  type FormLoginDeps,
  principalOfForm,
  signForm,
} from '../../access/login/form-login.ts'
import { type LoginServices, logIn } from '../../access/login/login.ts'
import { confirmProposal, readProposal, rejectProposal } from '../../agents/proposals/decide-proposal.ts'
import type { ProposalDeps } from '../../agents/proposals/prepare-proposal.ts'
import type { AddressRange } from '../../base/addresses/address-range.ts'
import { inRequest } from '../../base/current-request.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import type { RequestScheduler } from '../../fairness/request-scheduler.ts'
import { turnOf } from '../bounds/take-turn.ts'
import { actingOf } from '../caller.ts'
import { type Authenticate, type MountOptions, requireSpace } from '../mount.ts'
import { clientAddress } from '../requests/client-address.ts'
import { isValid, validatorOf } from '../requests/validation.ts'
import { handleError, responseOf } from '../responses/errors.ts'
import { checkEnabled } from '../scopes.ts'
import { decisionPage, loginPage, outcomePage, problemPage } from './confirm-page.ts'
import { formPageHeaders } from './form-page.ts'

export interface ConfirmServices extends ProposalDeps, FormLoginDeps, LoginServices {
  authenticate: Authenticate
  isEnabled: MountOptions['isEnabled']
  trustedProxies: readonly AddressRange[]
  scheduler: RequestScheduler | undefined
  /** As of the routes that queue runs. */
  hasSpace: MountOptions['hasSpace']
}

const url = '/confirm/:pid'
const bodyMaxBytes = 8 * 1024
const checkParams = validatorOf('path', Strict({ pid: Identifier }))
const DecisionForm = Strict({
  login: Type.String({ minLength: 1, maxLength: 4096 }),
  decision: OneOf(['confirm', 'reject']),
})
type DecisionForm = Static<typeof DecisionForm>
const checkLogin = validatorOf('body', TokenRequest)
const checkDecision = validatorOf('body', DecisionForm)

/**
 * Pages on which a person confirms or rejects a job that an agent proposed (contract part 3, D2): they log in, see what the
 * stored bytes say, and press a button. No cookie is set, so no other page can press it for them.
 */
export function mountConfirmPages(app: FastifyInstance, services: ConfirmServices): void {
  app.get(url, (_request, reply) => show(reply, 200, loginPage()))
  app.route({
    method: 'POST',
    url,
    bodyLimit: bodyMaxBytes,
    errorHandler: showProblem,
    handler: async (request, reply) => {
      checkEnabled(services, { method: 'POST', path: url })
      if (!isValid(checkParams, request.params)) throw notFound()
      const { pid } = request.params as { pid: string }
      const { body } = request
      if (isValid(checkDecision, body)) return decide(request, reply, { pid, form: body as DecisionForm })
      checkLogin(body)
      return askFor(request, reply, pid)
    },
  })

  async function askFor(request: FastifyRequest, reply: FastifyReply, pid: string) {
    const { username, password } = request.body as TokenRequest
    const client = clientAddress({ peer: request.ip, headers: request.headers }, services.trustedProxies)
    const { access_token } = await logIn(services, { username, password, client })
    const principal = await services.authenticate({
      method: 'POST',
      headers: { authorization: `Bearer ${access_token}` },
    })
    await turnOf(services.scheduler, principal.companyId, reply)(0)
    const proposal = await readProposal(services, principal, pid)
    if (proposal.state !== 'prepared') return show(reply, 200, outcomePage(proposal))
    return show(reply, 200, decisionPage(proposal, signForm(services, principal, pid)))
  }

  async function decide(
    request: FastifyRequest,
    reply: FastifyReply,
    { pid, form: { login, decision } }: { pid: string; form: DecisionForm },
  ) {
    await turnOf(services.scheduler, companyOfForm(services, login, pid), reply)(0)
    const principal = await principalOfForm(services, login, pid)
    if (decision === 'confirm') await requireSpace(services)
    const decided = decision === 'confirm' ? confirmProposal : rejectProposal
    const action = decision === 'confirm' ? 'confirmProposal' : 'rejectProposal'
    const work = () => decided(services, principal, pid)
    const proposal = await inRequest(request.id, work, actingOf(action, principal))
    return show(reply, 200, outcomePage(proposal))
  }
}

const show = (reply: FastifyReply, status: number, page: string) =>
  reply.code(status).headers(formPageHeaders()).type('text/html; charset=utf-8').send(page)

/** Refusals as pages. A wrong password gets the form again. */
function showProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const answer = responseOf(error)
  if (!answer) {
    handleError(error, request, reply)
    return
  }
  reply.headers(answer.headers ?? {})
  if (answer.status === 418) {
    const problem = 'The login is not known, or it took too long. Log in again.'
    void show(reply.removeHeader('www-authenticate'), 401, loginPage(problem))
    return
  }
  const { message = 'The form is not complete.' } = answer.body.detail as { message?: string }
  void show(reply, answer.status, problemPage(message))
}
