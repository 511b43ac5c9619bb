import { createHash } from 'node:crypto'
import { hashPassword } from '../../../server/access/login/passwords.ts'
import type { Principal } from '../../../server/access/principal.ts'
import { newToken } from '../../../server/base/ids.ts'
import type { Database } from '../../../server/db/database.ts'
import type { AgentApp } from '../agent-app.ts'

export const password = 'correct horse battery'
export const redirectUri = 'http://127.0.0.1:4711/callback'
const passwordHash = await hashPassword(password)

/** Steps of a client and a person to log a program in, over HTTP. */
export class OAuthSteps {
  readonly #db: Database
  readonly #app: AgentApp['app']
  readonly #baseUrl: string

  constructor(db: Database, { app }: Pick<AgentApp, 'app'>, baseUrl = 'http://sandbox.test') {
    this.#db = db
    this.#app = app
    this.#baseUrl = baseUrl
  }

  async loginOf({ principalId }: Principal) {
    const user = this.#db
      .updateTable('users')
      .set({ password_hash: passwordHash })
      .where('id', '=', principalId)
    const { login } = await user.returning('login').executeTakeFirstOrThrow()
    return { username: login, password }
  }

  async register(metadata: object = { redirect_uris: [redirectUri], client_name: 'Test client' }) {
    const { statusCode, body } = await this.#app.inject({
      method: 'POST',
      url: '/oauth/register',
      payload: metadata,
    })
    const answer = JSON.parse(body) as Record<string, unknown>
    return { status: statusCode, body: answer, clientId: String(answer.client_id) }
  }

  /** The parameters of an authorization request, and its verifier. */
  request(clientId: string, roomId: string) {
    const verifier = newToken()
    const query = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      resource: `${this.#baseUrl}/mcp/chatrooms/${roomId}`,
      state: 'of the client',
    }
    return { query, verifier }
  }

  page(query: Record<string, string>) {
    return this.#app.inject({ method: 'GET', url: '/oauth/authorize', query })
  }

  async sendForm(query: Record<string, string>, form: Record<string, string>) {
    const { statusCode, body, headers } = await this.#app.inject({
      method: 'POST',
      url: '/oauth/authorize',
      query,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams(form).toString(),
    })
    const login = /name="login" value="(?<token>[^"]+)"/.exec(body)?.groups?.token ?? ''
    const location = headers.location === undefined ? undefined : new URL(String(headers.location))
    return { status: statusCode, body, headers, login, location }
  }

  /** A person logs in and allows or denies it. */
  async decide(query: Record<string, string>, person: Principal, decision = 'allow') {
    const { login } = await this.sendForm(query, await this.loginOf(person))
    return this.sendForm(query, { login, decision })
  }

  async post(path: 'token' | 'revoke', form: Record<string, string>) {
    const { statusCode, body } = await this.#app.inject({
      method: 'POST',
      url: `/oauth/${path}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams(form).toString(),
    })
    return { status: statusCode, body: JSON.parse(body) as Record<string, string> }
  }

  /** The form by which a client exchanges a code that a person has just allowed. */
  async allowed(person: Principal, roomId: string) {
    const { clientId } = await this.register()
    const { query, verifier } = this.request(clientId, roomId)
    const { location } = await this.decide(query, person)
    return {
      grant_type: 'authorization_code',
      code: location?.searchParams.get('code') ?? '',
      client_id: clientId,
      redirect_uri: redirectUri,
      code_verifier: verifier,
      resource: query.resource,
    }
  }

  /** A client that has tokens of a person for a room. */
  async loggedIn(person: Principal, roomId: string) {
    const form = await this.allowed(person, roomId)
    const { status, body } = await this.post('token', form)
    if (status !== 200) throw new Error(JSON.stringify(body))
    return {
      form,
      clientId: form.client_id,
      access: String(body.access_token),
      refresh: String(body.refresh_token),
    }
  }
}
