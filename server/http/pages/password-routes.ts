import { passwordMaxLength, passwordMinLength } from '@sandbox-jobs/contract/limits.ts'
import { Password } from '@sandbox-jobs/contract/resources/companies/user.ts'
import { PlainText, Strict } from '@sandbox-jobs/contract/schema.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { inRequest } from '../../base/current-request.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import type { SignedTokens } from '../../base/keys/signed-tokens.ts'
import {
  choosePassword,
  loginOfAddress,
  type PasswordClaims,
  passwordPath,
  readPasswordToken,
} from '../../companies/password-addresses.ts'
import type { Database } from '../../db/database.ts'
import type { RequestScheduler } from '../../fairness/request-scheduler.ts'
import { turnOf } from '../bounds/take-turn.ts'
import { isValid, validatorOf } from '../requests/validation.ts'
import { handleError, responseOf } from '../responses/errors.ts'
import { formPageHeaders } from './form-page.ts'
import { passwordPage, passwordProblemPage, passwordSetPage } from './password-page.ts'

export interface PasswordPageServices {
  db: Database
  signed: SignedTokens
  scheduler: RequestScheduler | undefined
}

const bodyMaxBytes = 8 * 1024
const checkQuery = validatorOf('query', Strict({ token: Type.String({ maxLength: 2048 }) }))
const checkForm = validatorOf('body', Strict({ password: Password, again: PlainText({ maxLength: 4096 }) }))
const badForm = `The password does not have ${passwordMinLength} to ${passwordMaxLength} characters.`
const twoPasswords = 'These are two different passwords.'

/**
 * The page on which a person chooses a password, at an address that an administrator gave them. Opening it changes nothing, and no
 * cookie is set.
 */
export function mountPasswordPage(app: FastifyInstance, services: PasswordPageServices): void {
  const { db } = services
  const page = { url: passwordPath, errorHandler: showProblem }

  app.route({
    ...page,
    method: 'GET',
    handler: async (request, reply) => {
      const claims = await enter(request, reply)
      return show(reply, 200, passwordPage(await loginOfAddress(db, claims)))
    },
  })
  app.route({
    ...page,
    method: 'POST',
    bodyLimit: bodyMaxBytes,
    handler: async (request, reply) => {
      const claims = await enter(request, reply)
      const login = await loginOfAddress(db, claims)
      if (!isValid(checkForm, request.body)) return show(reply, 422, passwordPage(login, badForm))
      const { password, again } = request.body as { password: string; again: string }
      if (password !== again) return show(reply, 422, passwordPage(login, twoPasswords))
      await inRequest(request.id, () => choosePassword(db, claims, password), {
        action: 'choosePassword',
        actor_type: 'user',
        actor_id: claims.user,
      })
      return show(reply, 200, passwordSetPage(login))
    },
  })

  /** Waits for the turn of the company that the address is of. */
  async function enter(request: FastifyRequest, reply: FastifyReply): Promise<PasswordClaims> {
    if (!isValid(checkQuery, request.query)) throw notFound()
    const claims = readPasswordToken(services, (request.query as { token: string }).token)
    await turnOf(services.scheduler, claims.company, reply)(0)
    return claims
  }
}

const show = (reply: FastifyReply, status: number, page: string) =>
  reply.code(status).headers(formPageHeaders()).type('text/html; charset=utf-8').send(page)

/** The same for an address that never was one, was used or replaced, is too old, or was made by somebody dismissed. */
const notGood = {
  statuses: [403, 404, 418],
  words: 'This address is not good any more. Ask the administrator of your company for another one.',
}

function showProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const answer = responseOf(error)
  if (!answer) {
    handleError(error, request, reply)
    return
  }
  if (notGood.statuses.includes(answer.status)) {
    void show(reply, 404, passwordProblemPage(notGood.words))
    return
  }
  reply.headers(answer.headers ?? {})
  const { message = 'The form is not complete.' } = answer.body.detail as { message?: string }
  void show(reply, answer.status, passwordProblemPage(message))
}
